import EngagementKit

func form(_ engagement: Engagement, _ card: Card) async throws {
  var form = card.form()  // or card.form(inSubview: "details"), which is submitted apart
  form["note"] = "On Tuesday"
  for fault in form.faults { print(fault.input, fault.rule, fault.message ?? "") }
  for button in card.buttons {
    guard case .submit = button.action else { continue }
    try await engagement.submit(form, by: button, on: card)
  }
}

func file(
  _ engagement: Engagement, _ card: Card, _ button: CardButton, _ photo: [UInt8]
) async throws -> Engagement.Receipt {
  var form = card.form()
  try form.choose(CardFile(name: "receipt.jpg", bytes: photo), for: "proof")
  let receipt = try await engagement.submit(form, by: button, on: card)
  if try await engagement.cancelSubmission(of: card) { print("The card is there again.") }
  return receipt
}

func cardVariables(_ engagement: Engagement, show: (Engagement.CardFeed) -> Void) async {
  engagement.setCardVariables { card in
    ["name": "Ada"]  // what is left out takes its default
  }
  let options = Engagement.CardOptions(variables: .init(timeout: .seconds(2), isReported: false))
  for await feed in engagement.cardUpdates(in: "home", options: options) { show(feed) }
}

func screenReports(_ engagement: Engagement, _ card: Card) {
  engagement.recordScreenEvent(.containerShown("home", as: .stream))
  engagement.recordScreenEvent(.visible(card.id, fraction: 0.1))  // displayed, however briefly
  engagement.recordScreenEvent(
    .linkFollowed(card.id, .url("https://shop.example"), from: .textLink))
}

func metrics(_ engagement: Engagement) async {
  _ = await engagement.refresh(.metrics)
  for await metrics in engagement.cardMetricsUpdates(at: "atomic", in: "home") {
    print(metrics?.active ?? 0, metrics?.unseen ?? 0)
  }
}

func eventUpdates(_ engagement: Engagement, after start: Int64) async throws {
  var handled = start
  for await event in try await engagement.eventUpdates(after: handled) {
    if event.kind == .submitted, let payload = event.properties["payload"] {
      print(event.item?.id as Any, event.properties["button"] as Any, payload)
    }
    handled = event.sequence  // keep it, and go on from there after a restart
  }
}

func pushContainers(_ engagement: Engagement) async throws {
  try await engagement.setPushContainers(["home"], notifications: true)
}
