import EngageCommands

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

let surroundings = Surroundings.process()
let status = await EngageTool.run(Array(CommandLine.arguments.dropFirst()), in: surroundings)
exit(status.rawValue)
