import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  /// `engage device`.
  static let device = [
    showDevice,
    changeDevice(
      "register", "register this installation at every vendor that keeps a record of it",
      "A vendor that knows it already is not asked. Other commands register it when they need it.",
      kept: "registered"
    ) { try await $0.registerDevice() },
    changeDevice(
      "update", "send this installation's versions, locale and time zone",
      "Vendors target by them; run it after an update of the system."
    ) { try await $0.updateDevice() },
    changeDevice(
      "unregister", "unregister this installation at every vendor that keeps a record of it",
      "The vendors send it nothing more. The next command that needs a device registers it anew.",
      kept: "not registered; there was nothing to end"
    ) { try await $0.unregisterDevice() },
  ]

  private static let showDevice = Command(
    name: ["device", "show"], summary: "show what vendors are told about this installation",
    examples: [Example("engage device", "its id, versions, locale and time zone")],
    isDefault: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let id = try DeviceFile(besideCacheAt: configuration.cache)
        .id(random: invocation.context.random) { invocation.console.note("\($0)") }
      let device = Device.engage(id: id)
      let fields: [(String, String?)] = [
        ("id", device.id), ("application", device.appID), ("version", device.appVersion),
        ("system", device.system), ("systemVersion", device.systemVersion),
        ("locale", device.locale), ("timeZone", device.timeZone),
      ]
      var object = JSONObject()
      for (name, value) in fields {
        guard let value, !value.isEmpty else { continue }
        try invocation.console.line("\(name, .bold): \(value)")
        object[name] = .string(value)
      }
      try invocation.console.object(object)
      return .done
    })

  private static func changeDevice(
    _ verb: String, _ summary: String, _ discussion: String, kept: String? = nil,
    _ change: @escaping Invocation.Body<Engagement.Receipt>
  ) -> Command {
    Command(
      name: ["device", verb], summary: summary, discussion: discussion,
      examples: [Example("engage device \(verb)", "at the vendors of engage.json")],
      isInterruptible: true,
      run: { invocation in
        let configuration = try invocation.configuration()
        return try await invocation.delivering(configuration) { engagement in
          try await invocation.conclude(
            try await change(engagement), of: engagement, "device \(verb)", [:],
            among: configuration.providers.map(\.id), kept: kept)
        }
      })
  }
}
