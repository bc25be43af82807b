import CacheProbe
import EngagementKit
import EngagementModel

/// The process under fault. `Tests/UnderFault/run` starts it, reads its output and kills it.
let arguments = Arguments(CommandLine.arguments)

func live() async throws(EngagementError) {
  let application = try await Application(arguments)
  say("opened")
  let scenes = ["leaving", "crowd", "erasing", "batching", "switching"]
  if !scenes.contains(arguments.mode) { endWithDriver() }
  let running = Task { try await application.engagement.run() }
  let showing = application.isLive ? Task { await application.show() } : nil
  switch arguments.mode {
  case "loop":
    var living = Living(application, arguments)
    await living.loop()
  case "script":
    var living = Living(application, arguments)
    await living.script()
  case "drain":
    let users = arguments.text("users").split(separator: ",").map(String.init)
    try await Draining(application: application, users: users).run()
  case "leaving": try await Scenes(application: application).leaving(arguments.text("what"))
  case "switching": try await Scenes(application: application).switching()
  case "erasing": try await Scenes(application: application).erasing()
  case "batching": try await Scenes(application: application).batching()
  case "crowd": try await Scenes(application: application).crowd()
  default: refuse("\(arguments.mode) is no mode")
  }
  // The end of `run` cuts requests off, as a change of user does.
  say("change")
  showing?.cancel()
  running.cancel()
  // `run` ends with a cancellation, so its result does not matter.
  _ = await running.result
  try await application.engagement.close()
}

do throws(EngagementError) {
  if arguments.mode == "check" {
    await (try Checking()).run()
  } else {
    try await live()
    if arguments.mode == "drain" {
      let folder = arguments.text("folder")
      say(
        "health \(try await Checking().probe(folder).contents(at: Engagement.SystemClock().now).health)"
      )
    }
    say("done")
  }
} catch {
  say("fault \(arguments.mode) \(error.code)")
}
