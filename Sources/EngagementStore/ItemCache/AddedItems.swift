import EngagementModel

/// The items of one list that the cache did not have before, by the bytes of their vendor's ids.
///
/// The bytes lie one after the other. As many strings would be fetched from all over the memory once
/// for each step from the list to the ledger.
package struct AddedItems: Hashable, Sendable {
  let provider: ProviderID
  let surface: Surface
  let container: ContainerID?
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  init(of provider: ProviderID, on surface: Surface, in container: ContainerID?) {
    self.provider = provider
    self.surface = surface
    self.container = container
  }

  var count: Int { ends.count }

  var indices: Range<Int> { ends.indices }

  /// The id of an item.
  subscript(_ index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  mutating func append(_ id: some Collection<UInt8>) {
    bytes += id
    ends.append(bytes.count)
  }

  /// Those of the items for which the flag at their index is true.
  func filter(_ isWanted: [Bool]) -> AddedItems {
    var wanted = AddedItems(of: provider, on: surface, in: container)
    for index in indices where isWanted[index] { wanted.append(self[index]) }
    return wanted
  }
}
