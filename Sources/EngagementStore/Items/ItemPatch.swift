public import EngagementAdapterAPI
public import EngagementJSON
import EngagementModel

/// Lays the members of one item over those of an earlier one, in the vendor's own bytes.
public enum ItemPatch {
  /// The merged object, or nil when the patch is older than what is there.
  ///
  /// Members keep their order and their bytes; new ones come last. A member that is only ever set
  /// stays true. Throws when either side is no object.
  public static func merged(
    _ base: ArraySlice<UInt8>, with patch: ArraySlice<UInt8>, by rules: PatchRules
  ) throws(JSONFault) -> [UInt8]? {
    let (old, new) = (try JSONFields(base), try JSONFields(patch))
    if let age = rules.age.map(JSONKey.init(_:)), let before = old.number(age),
      let after = new.number(age), after < before
    {
      return nil
    }
    return merged(old, new, onlyEverSet: rules.onlyEverSet)
  }

  /// The new item with the members that stay true once they were true.
  public static func retaining(
    _ base: ArraySlice<UInt8>, in item: ArraySlice<UInt8>, by retention: Retention
  ) throws(JSONFault) -> [UInt8] {
    let (old, new) = (try JSONFields(base), try JSONFields(item))
    var writer = JSONWriter()
    writer.beginObject()
    write(new, over: old, onlyEverSet: retention.onlyEverSet, to: &writer)
    for name in retention.onlyEverSet
    where new.kind(of: JSONKey(name)) == nil && old.flag(JSONKey(name)) == true {
      writer.key(name)
      writer.value(true)
    }
    writer.endObject()
    return writer.bytes
  }

  private static func merged(
    _ old: JSONFields, _ new: JSONFields, onlyEverSet: [String]
  ) -> [UInt8] {
    let replaced = Set(new.members.map { JSONKey($0.key) })
    var writer = JSONWriter()
    writer.beginObject()
    for member in old.members where !replaced.contains(JSONKey(member.key)) {
      writer.key(member.key)
      writer.raw(member.value)
    }
    write(new, over: old, onlyEverSet: onlyEverSet, to: &writer)
    writer.endObject()
    return writer.bytes
  }

  private static func write(
    _ new: JSONFields, over old: JSONFields, onlyEverSet: [String], to writer: inout JSONWriter
  ) {
    for member in new.members {
      writer.key(member.key)
      if onlyEverSet.contains(where: { $0.hasSameBytes(as: member.key) }),
        old.flag(JSONKey(member.key)) == true
      {
        writer.value(true)
      } else {
        writer.raw(member.value)
      }
    }
  }
}

/// The bytes that the cache has of an item.
struct EarlierItem {
  let body: [UInt8]

  enum Patched {
    case item(RawItem)
    /// The patch is older than the item.
    case older
    case bad(reason: String)
  }

  func patched(by patch: RawItem, _ rules: PatchRules) -> Patched {
    if let fault = patch.fault { return .bad(reason: fault.description) }
    do throws(JSONFault) {
      guard let bytes = try ItemPatch.merged(body[...], with: patch.bytes, by: rules) else {
        return .older
      }
      return .item(RawItem(index: patch.index, bytes: bytes[...]))
    } catch {
      return .bad(reason: error.description)
    }
  }

  /// The item with the members that stay true once they were true; nil if it takes none back.
  func retained(in item: RawItem, _ retention: Retention) -> RawItem? {
    guard let old = try? JSONFields(body[...]), let new = try? JSONFields(item),
      retention.onlyEverSet.contains(where: { name in
        old.flag(JSONKey(name)) == true && new.flag(JSONKey(name)) != true
      }),
      let bytes = try? ItemPatch.retaining(body[...], in: item.bytes, by: retention)
    else { return nil }
    return RawItem(index: item.index, bytes: bytes[...])
  }
}
