import EngageCommands
import EngagementAtomicTools
import EngagementBrazeTools
import EngagementCleverTapTools
import EngagementPlatform
import EngagementVendors
import EngagementVibesTools

let status = await EngageTool.run(
  Array(CommandLine.arguments.dropFirst()), vendors: [.braze, .vibes, .cleverTap, .atomic],
  in: .process())
exit(status.rawValue)
