import EngagementModel

extension Card {
  /// A flat content card with every property of the Braze model and nothing of a tree.
  static var flat: Card {
    var card = Card(ItemID("braze", "c-1"), vendor: "braze", kind: .captionedImage)
    card.title = "Bill due"
    card.text = "Your bill of 12 € is due \"soon\"."
    card.imageURLText = "https://images.example/bill.png"
    card.imageAlt = "A bill"
    card.imageAspectRatio = 1.5
    card.language = "en"
    card.urlText = "https://shop.example/bill"
    card.linkText = "Pay"
    card.opensInWebView = true
    card.createdAt = moment(0)
    card.updatedAt = moment(1)
    card.expiresAt = moment(86_400_000)
    card.isPinned = true
    card.isDismissible = true
    card.isViewed = true
    card.isClicked = true
    card.isTest = true
    card.extras = ["slot": "home", "nested": ["a": .null]]
    return card
  }

  /// A card of components with everything that the Atomic model has.
  static var composed: Card {
    var card = Card(ItemID("atomic", "i-1"), vendor: "atomic", kind: .composed)
    card.container = "BqWL1sT"
    card.title = "Your bill is due soon"
    card.text = "12 € to go"
    card.imageURLText = "https://images.example/1.png"
    card.createdAt = moment(0)
    card.updatedAt = moment(2)
    card.activeAt = moment(3)
    card.priority = 3
    card.status = "active"
    card.eventName = "bill-due"
    card.lifecycleID = "bill-2026-10"
    card.campaignID = "c-10"
    card.templateID = "t-1"
    card.templateName = "Bill"
    card.variables = ["amount": 12, "vip": true]
    card.metadata = ["businessID": "B-7"]
    card.actions = Actions(swipe: [.dismiss, .snooze], menu: [.voteUp, .voteDown])
    card.actions.menuStyle = .overflow
    card.components = [
      Component(.headline, ["text": "Your bill is due soon"]),
      Component(.image, ["url": "https://images.example/1.png"]),
      Component(
        .form, ["defaults": ["note": "none"]],
        children: [Component(.textInput, ["name": "note", "label": "Note"])]),
    ]
    card.buttons = [
      CardButton("Pay", .submit(name: "pay", values: ["amount": 12]), attributes: ["icon": "coin"]),
      CardButton("Details", .link(.subview("sv1"))),
    ]
    card.subviews = [
      Subview(
        "sv1", title: "Details", components: [Component(.text, ["text": "12 €"])],
        buttons: [CardButton("Close", .dismiss)]),
      Subview("sv2"),
    ]
    card.runtimeVariables = [RuntimeVariable("dueIn", defaultValue: "soon")]
    return card
  }

  /// Every property filled.
  static var full: Card {
    var card = composed
    card.imageAlt = flat.imageAlt
    card.imageAspectRatio = flat.imageAspectRatio
    card.language = flat.language
    card.urlText = flat.urlText
    card.linkText = flat.linkText
    card.opensInWebView = true
    card.expiresAt = flat.expiresAt
    card.isPinned = true
    card.isDismissible = true
    card.isViewed = true
    card.isClicked = true
    card.isDismissed = true
    card.isTest = true
    card.extras = flat.extras
    return card
  }
}

extension Noun {
  static let card = Noun(
    "card", full: Card.full,
    """
    {"provider":"atomic","vendor":"atomic","id":"i-1","container":"BqWL1sT","kind":"composed",\
    "title":"Your bill is due soon","text":"12 € to go",\
    "imageURL":"https://images.example/1.png","imageAlt":"A bill","imageAspectRatio":1.5,\
    "language":"en","url":"https://shop.example/bill","linkText":"Pay","opensInWebView":true,\
    "createdAt":"2026-09-21T14:13:20.123Z","updatedAt":"2026-09-21T14:13:20.125Z",\
    "activeAt":"2026-09-21T14:13:20.126Z","expiresAt":"2026-09-22T14:13:20.123Z","priority":3,\
    "pinned":true,"dismissible":true,"viewed":true,"clicked":true,"dismissed":true,"test":true,\
    "status":"active","eventName":"bill-due","lifecycleID":"bill-2026-10","campaignID":"c-10","templateID":"t-1",\
    "templateName":"Bill","variables":{"amount":12,"vip":true},\
    "extras":{"slot":"home","nested":{"a":null}},"metadata":{"businessID":"B-7"},\
    "actions":{"dismiss":true,"snooze":true,"voteUp":true,"voteDown":true,\
    "swipe":["dismiss","snooze"],"menu":["voteUp","voteDown"],"menuStyle":"overflow"},\
    "components":[{"type":"headline","text":"Your bill is due soon"},\
    {"type":"image","url":"https://images.example/1.png"},\
    {"type":"form","defaults":{"note":"none"},\
    "children":[{"type":"textInput","name":"note","label":"Note"}]}],\
    "buttons":[{"text":"Pay","action":"submit","name":"pay","values":{"amount":12},\
    "icon":"coin"},{"text":"Details","action":"link","subview":"sv1"}],\
    "subviews":{"sv1":{"title":"Details","components":[{"type":"text","text":"12 €"}],\
    "buttons":[{"text":"Close","action":"dismiss"}]},"sv2":{}},\
    "runtimeVariables":[{"name":"dueIn","default":"soon"}]}
    """,
    empty: Card(ItemID("p", ""), vendor: "v", kind: "k"),
    """
    {"provider":"p","vendor":"v","id":"","kind":"k","opensInWebView":false,"pinned":false,\
    "dismissible":false,"viewed":false,"clicked":false,"dismissed":false,"test":false,\
    "actions":{"dismiss":false,"snooze":false,"voteUp":false,"voteDown":false}}
    """,
    required: ["provider", "vendor", "id", "kind"], json: \.json, read: Card.init(json:))
}
