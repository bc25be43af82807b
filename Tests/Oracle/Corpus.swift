/// Valid documents in the shapes that vendors send. The search for invalid ones starts from these.
public enum Corpus {
  /// A named document.
  public struct Sample: Sendable {
    public let name: String
    public let bytes: [UInt8]

    init(_ name: String, _ text: String) {
      self.name = name
      bytes = Array(text.utf8)
    }
  }

  /// Answers of every vendor, then small documents for cases that these lack.
  public static let samples = [braze, brazeEmpty, atomic, atomicFeed, vibes, cleverTap] + small

  static let braze = Sample(
    "Braze content cards",
    #"""
    {"message":"success","cards":[{"id":"NjA=","tp":"short_news","tt":"Zwei Plätze frei","ds":"Bis \u0046reitag, 18\u202fUhr",
    "i":"https:\/\/images.example.com\/a.png","u":"","ca":1761000000,"ea":-1,"ar":1.778,"v":false,"cl":0,"p":1,"r":false,
    "db":true,"t":false,"uw":true,"e":{"slot":"home","rank":"3","\u00e9tat":"neuf"}},
    {"id":"NjE=","tp":"banner_image","ca":1.761e9,"ea":1790000000,"ar":"0.5","e":{}},{"id":"NjI=","tp":"control","r":true}],
    "full_sync":true,"last_full_sync_at":1761000000,"last_card_updated_at":1761000321}
    """#)

  static let brazeEmpty = Sample(
    "Braze with nothing new", #"{"cards":[],"full_sync":false,"last_full_sync_at":0}"#)

  static let atomic = Sample(
    "An Atomic card",
    #"""
    {"instance":{"id":"c-77","eventName":"boiler-check","lifecycleId":"b-2026","status":"active"},
     "actions":{"dismiss":{"swipe":true,"overflow":false},"snooze":{"swipe":null}},
     "metadata":{"title":"Heizung 🔧","priority":5,"receivedAt":"2026-03-01T07:30:00.125Z"},
     "runtimeVariables":[{"name":"days","type":"number","defaultValue":14},{"name":"who","defaultValue":["a","b"]}],
     "defaultView":{"nodes":[{"type":"headline","attributes":{"text":"In !{days} days \ud83d\udd27"}},
       {"type":"form","attributes":{"defaultValues":{}},"children":[{"type":"stepper","attributes":{"name":"n","min":-2,"max":1e2,"step":0.5}},
         {"type":"submitButton","attributes":{"text":"OK","values":{"ok":true}}}]}]},
     "subviews":{"s1":{"title":"More","nodes":[]}}}
    """#)

  static let atomicFeed = Sample(
    "Atomic's live feed",
    #"""
    {"messageType":"update-cards","data":{"updates":[{"type":"replace-feed","data":{"subscriptionId":"s1","cardInstances":
    {"instances":[{"instance":{"id":"a"},"metadata":{"priority":1}},{"instance":{"id":"b"},"defaultView":{"nodes":[]}}],"totalCards":2}}},
    {"type":"remove-card","data":{"subscriptionId":"s1","cardInstanceId":"q"}}]}}
    """#)

  static let vibes = Sample(
    "Vibes inbox messages",
    #"""
    [{"message_uid":"6f1d","subject":"Tervetuloa","content":"K\u00e4ytä koodi \"SAUNA\"","detail":"https://shop.example.com/s?a=1&b=2",
    "collapse_key":null,"read":false,"created_at":"2026-02-03T04:05:06.078+00:00","expires_at":"2027-02-03T04:05:06.078+00:00",
    "images":{"icon":"i.png","main":"m.png"},"inbox_custom_data":{"a":"1","b":[1,2.50,{"c":null}]},
    "apprefdata":{"activityType":"Broadcast","activityUid":"9e"}},
    {"message_uid":"6f1e","content":"\ttab\b\f\r\n","read":true},{"message_uid":"6f1f","content":"日本 – المزيد 👨‍👩‍👧"}]
    """#)

  static let cleverTap = Sample(
    "CleverTap inbox and display units",
    #"""
    {"inbox_notifs_v2":[{"_id":"161_170","wzrk_id":"161_2026","wzrk_ttl":1956391377,"date":1761000001,"isRead":false,
     "msg":{"type":"carousel","bg":"#102030","tags":["a","b"],"enableTags":true,"custom_kv":[{"key":"k","value":{"text":"½"}}],
     "content":[{"key":8150950539,"title":{"text":"T","color":"#fff"},"action":{"hasUrl":false,"links":[{"type":"kv","kv":{"x":"y"}}]}}]}}],
     "adUnit_notifs":[{"wzrk_id":"9","type":"simple","content":[]},{"wzrk_id":"10","custom_kv":{"p":9007199254740993}}],
     "g":"-i","arp":{"rc_n":5.0,"rc_w":-60}}
    """#)

  /// Roots of every kind, numbers at their limits, every escape, the deepest nesting.
  static let small = [
    Sample(
      "numbers",
      "[0,-0,-0.0,1E5,1e-400,0.1,9223372036854775807,-9223372036854775808,1.7976931348623157e308,123456789012345.678]"
    ),
    Sample("escapes", #"["\"\\\/\b\f\n\r\t\u0001\u00e9\u20AC\ud834\udd1E","\u007f","😀"]"#),
    Sample("literals", "[true,false,null,{},[],\"\"]"),
    Sample("a string", #" "alone" "#),
    Sample("a number", "-12.5e+3"),
    Sample(
      "keys", #"{"":1,"a":2,"A":3,"\u0061b":4,"é":5,"e\u0301":6,"a long key that no word holds":7}"#
    ),
    Sample("like items", "[" + (0..<12).map(likeItem).joined(separator: ",") + "]"),
    Sample("many keys", "{" + (0..<90).map(manyKeys).joined(separator: ",") + "}"),
    Sample("depth", String(repeating: "[", count: 64) + String(repeating: "]", count: 64)),
    Sample("space", " \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n"),
  ]

  /// An item whose keys are mostly the same and in the same order as those of its neighbours, with
  /// some missing.
  private static func likeItem(_ number: Int) -> String {
    let members = ["id", "tp", "title", "seven77", "eight888", "a key of two words", "é", "tp2"]
    let present = members.enumerated().filter { ($0.offset + number) % 5 > 0 }.map(\.element)
    let ordered = number % 6 == 5 ? present.reversed() : present
    return "{" + ordered.map { #""\#($0)":\#(number)"# }.joined(separator: ",") + "}"
  }

  /// A member whose key has up to 20 characters, in some cases with escapes, often with the same
  /// prefix as others.
  private static func manyKeys(_ number: Int) -> String {
    let name = String(repeating: number % 2 == 0 ? "k" : "ë", count: number % 10)
    return number % 7 == 0 ? #""\u006b\#(name)\#(number)":1"# : #""\#(name)\#(number)":1"#
  }
}
