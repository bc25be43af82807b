import EngagementJSON
import EngagementModel

/// The UTF-8 of the text, in which `«ff 00»` stands for bytes in hexadecimal.
func bytes(_ text: String) -> [UInt8] {
  var bytes: [UInt8] = []
  var hexadecimal: String?
  for scalar in text.unicodeScalars {
    switch (scalar, hexadecimal) {
    case ("«", _): hexadecimal = ""
    case ("»", let digits?):
      bytes += digits.split(separator: " ").compactMap { UInt8($0, radix: 16) }
      hexadecimal = nil
    case (_, let digits?): hexadecimal = digits + String(scalar)
    case (_, nil): bytes += Array(String(scalar).utf8)
    }
  }
  return bytes
}

/// What reading the whole document as a value gives: the fault, or nil.
func fault(_ bytes: [UInt8]) -> JSONFault? {
  do throws(JSONFault) {
    _ = try JSON(parsing: bytes)
    return nil
  } catch {
    return error
  }
}

/// The elements of the document, an array, as items.
func items(_ bytes: [UInt8]) throws(JSONFault) -> [RawItem] {
  var cursor = JSONCursor(bytes)
  let items = try cursor.items()
  try cursor.finish()
  return items ?? []
}

/// Whether the code is not optimised, and takes its time.
let isDebug = _isDebugAssertConfiguration()

/// So many of something; less where the code is not optimised.
func many(_ count: Int) -> Int { isDebug ? count / 50 : count }

/// A document with something of everything, short enough to be tried in thousands of variants.
let sample = bytes(
  #"""
  {"cards": [{"id":"a1","tp":"short_news","tt":"Größe \"now\"\n","ca":1700000000,"ea":-1,
   "v":true,"p":false,"ar":1.5e0,"e":{"k\u0065y":"\ud83c\udf89 🎉","none":null,"list":[1,[2,{}],""]}},
   {"id":"a2","tp":"control","tt":"日本語","ca":1700000001,"ea":9223372036854775807,"v":false}],
   "last_full_sync_at" : 1720000000, "full_sync":true}
  """#)
