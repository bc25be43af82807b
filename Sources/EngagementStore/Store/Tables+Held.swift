import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementPlatform

extension Tables {
  /// Everything that the cache has of the user. It never has secrets.
  mutating func held(
    for partition: Partition, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    let consent = try partitions.require(partition, on: &database).consent
    let created = try partitions.created(partition.id, on: &database)
    var objects = [
      ObjectEncoder([
        "record": "user", "id": partition.user.id, "environment": partition.environment,
        "createdAt": created,
      ]).object, ObjectEncoder(["record": "consent", "value": consent.rawValue]).object,
    ]
    for provider in try values.providers(of: partition.id, on: &database) {
      objects += try values.memory(of: provider, in: partition, on: &database).held(for: provider)
    }
    objects += try itemCache.held(of: partition, on: &database)
    objects += try heldEvents(of: partition, on: &database)
    objects += try heldRows(of: partition, on: &database)
    objects += try rejected.all(of: partition.id, on: &database) { $0.held }
    objects += try campaigns.queue.held(of: partition, on: &database)
    objects += try heldCampaignCounts(of: partition, on: &database)
    objects += try campaigns.reports.held(of: partition.id, on: &database)
    objects += try campaigns.facts.held(of: partition.id, on: &database)
    objects += try assignments.held(of: partition.id, on: &database)
    objects += try showings.held(of: partition.id, on: &database)
    objects += try pushStates.held(of: partition.id, on: &database)
    return objects
  }

  private mutating func heldEvents(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    var objects: [JSONObject] = []
    var last: Int64 = 0
    while true {
      let entries = try ledger.entries(
        after: last, limit: 1_000, of: partition.id, on: &database)
      guard let newest = entries.last else { return objects }
      last = newest.event.sequence
      objects += entries.map { $0.event.json.held("event") }
    }
  }

  private mutating func heldRows(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    var objects: [JSONObject] = []
    var last: OutboxRow.ID = 0
    while true {
      let rows = try outbox.rows(of: partition.id, after: last, on: &database)
      guard let newest = rows.last else { return objects }
      last = newest.id
      for row in rows where row.isSound(for: partition) {
        guard let row = try? row.read() else { continue }
        objects.append(row.held)
        guard let file = try uploads.file(of: row.id, on: &database) else { continue }
        var held = row.work.detail.held("file")
        held["base64"] = .string(Base64.text(of: file))
        objects.append(held)
      }
    }
  }
}

extension ProviderMemory {
  fileprivate func held(for provider: ProviderID) -> [JSONObject] {
    var objects: [JSONObject] = []
    if let person { objects.append(person.json.held("person")) }
    if let metrics {
      objects.append(
        ObjectEncoder(["record": "metrics", "provider": provider, "value": metrics.json]).object)
    }
    for (name, value) in values.all(.user) {
      objects.append(
        ObjectEncoder(["record": "value", "provider": provider, "name": name, "value": value])
          .object)
    }
    objects += throttles.filter { $0.scope == .user }.map { throttle in
      ObjectEncoder([
        "record": "throttle", "provider": provider, "operation": throttle.verb?.rawValue,
        "until": throttle.until,
      ]).object
    }
    return objects
  }
}

extension OutboxRow {
  fileprivate var held: JSONObject {
    ObjectEncoder([
      "record": "pending", "provider": provider, "acceptedAt": acceptedAt, "attempts": attempts,
      "operation": work.verb.rawValue, "detail": work.detail,
    ]).object
  }
}

extension RejectedTable.Found {
  /// The rejected row; its plain text if it cannot be read.
  fileprivate var held: JSONObject {
    let work = try? StoredRow.work(kind, body)
    return ObjectEncoder([
      "record": "rejected", "provider": provider, "acceptedAt": acceptedAt, "attempts": attempts,
      "code": code, "reason": reason, "rejectedAt": rejectedAt, "operation": work?.verb.rawValue,
      "detail": work?.detail ?? JSON.string(String(decoding: body, as: UTF8.self)),
    ]).object
  }
}

extension OutboxRow.Work {
  /// The neutral JSON, without the adapter's handle of the item.
  fileprivate var detail: JSON {
    switch self {
    case .event(let event): return event.json
    case .operation(.upload(let upload)):
      var object = upload.properties
      object["item"] = upload.item.json
      return .object(object)
    case .operation(let operation):
      guard let item, var object = operation.json.object else { return operation.json }
      object["item"] = item.json
      return .object(object)
    }
  }
}

extension JSON {
  /// The object with its `record` as the first member.
  func held(_ record: String) -> JSONObject {
    JSONObject(
      uniqueMembers: [JSONObject.Member("record", .string(record))] + (object?.members ?? []))
  }
}
