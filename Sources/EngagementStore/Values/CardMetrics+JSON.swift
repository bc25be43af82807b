import EngagementAdapterAPI
import EngagementModel

extension CardMetrics {
  /// The stored form. Containers are a list: an object would have their names as its keys.
  var json: JSON {
    let containers = byContainer.sorted { $0.key < $1.key }.map { container, count in
      ObjectEncoder([
        "container": container, "active": count.active, "unseen": count.unseen,
      ]).json
    }
    return ObjectEncoder(["active": active, "unseen": unseen, "containers": containers]).json
  }

  init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "metrics"))
    self.init(
      active: try fields.require("active"), unseen: try fields.read("unseen") ?? [])
    for field in try fields.field("containers")?.elements() ?? [] {
      let container = try ObjectDecoder(field)
      byContainer[try container.require("container")] = Count(
        active: try container.require("active"), unseen: try container.read("unseen") ?? [])
    }
  }
}
