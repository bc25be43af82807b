import EngageCommands
import EngagementAtomicTools
import EngagementBrazeTools
import EngagementCleverTapTools
import EngagementPlatform
import EngagementVendors
import EngagementVibesTools
import Orchard

// The program `engage` with one vendor more.
let status = await EngageTool.run(
  Array(CommandLine.arguments.dropFirst()),
  vendors: [.braze, .vibes, .cleverTap, .atomic, .orchard], in: .process())
exit(status.rawValue)
