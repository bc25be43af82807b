import EngagementCleverTap
import EngagementCurl
import EngagementKit

func open(_ offer: OfferPresenter, _ rating: RatingFunction, token: Secret) async throws {
  let template = try Template.template("offer")
    .string("title", default: "Hello")
    .number("price.amount", default: 2.5)
    .string("price.currency", default: "EUR")
    .file("picture")
    .action("more")
  let function = try Template.function("askForRating", isVisual: false)
    .boolean("later", default: false)
  let presentations = Engagement.Options.Presentations(
    links: .init(schemes: ["https", "shop"]), openURL: { url in print("open", url) },
    takeKeyValues: { values in print(values) }, fileHosts: ["files.example.com"])
  let engagement = try await Engagement.open(
    cache: .temporary, device: .current(appID: "com.example.shop", appVersion: "1.0"),
    transport: CurlTransport(),
    providers: [
      "clevertap": .clevertap(accountID: "ACC-1", token: token, definesTemplates: true)
    ],
    routes: .init(cards: .none, inbox: .none),
    templates: [
      "clevertap": [
        .template(template, shownBy: offer), .function(function, runBy: rating),
      ]
    ], options: .init(presentations: presentations))
  engagement.setPresentationMode(.suspended)  // while a film plays, say
  engagement.setPresentationMode(.running)
}

func caps() throws -> Engagement.Options.Presentations {
  var caps = Engagement.Options.Caps(perDay: 3, contentPerDay: 1, held: .later)
  caps.quietTimes = [
    try .init(fromHour: 22, toHour: 7),
    try .init(fromHour: 7, toHour: 10, on: [.saturday, .sunday]),
  ]
  return Engagement.Options.Presentations(caps: caps)
}

final class OfferPresenter: Engagement.TemplatePresenter {
  func present(_ presentation: Engagement.Presentation) throws {
    let title = presentation.values.string("title") ?? ""
    let price = presentation.values.dictionary("price") ?? [:]  // amount and currency
    let picture = presentation.values.file("picture")  // a path on this device
    print(title, price, picture ?? "no picture")
    presentation.presented()
    // Later, when the user chooses the button, and when the screen is gone:
    presentation.trigger("more")
    presentation.dismissed()
  }

  func close(_ presentation: Engagement.Presentation) { presentation.dismissed() }
}

struct RatingFunction: Engagement.FunctionPresenter {
  func run(_ presentation: Engagement.Presentation) throws {
    guard presentation.values.bool("later") == false else { return presentation.dismissed() }
    presentation.presented()
    presentation.dismissed()
  }
}

func sync(_ engagement: Engagement) async throws {
  try await engagement.syncTemplates(with: "clevertap")  // debug builds only
  try await engagement.presentDueTemplates(within: .seconds(5))
}

func preview(_ engagement: Engagement) async throws {
  try await engagement.previewTemplate(
    "offer", of: "clevertap", with: ["title": "Hello", "more": ["action": "close"]])
}
