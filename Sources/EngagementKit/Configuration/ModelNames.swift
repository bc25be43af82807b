public import EngagementModel

// The model's types by the names under which an application finds them beside `Engagement`, where
// one of its own has the same name.
extension Engagement {
  public typealias Card = EngagementModel.Card
  public typealias Consent = EngagementModel.Consent
  public typealias ContainerID = EngagementModel.ContainerID
  public typealias ContentKeySource = EngagementModel.ContentKeySource
  public typealias Device = EngagementModel.Device
  public typealias Event = EngagementModel.EngagementEvent
  public typealias InboxMessage = EngagementModel.InboxMessage
  public typealias ItemAction = EngagementModel.ItemAction
  public typealias ItemID = EngagementModel.ItemID
  public typealias Person = EngagementModel.Person
  public typealias PersonUpdate = EngagementModel.PersonUpdate
  public typealias ProviderID = EngagementModel.ProviderID
  public typealias PushNotification = EngagementModel.PushNotification
  public typealias PushRegistration = EngagementModel.PushRegistration
  public typealias PushState = EngagementModel.PushState
  public typealias Secret = EngagementModel.Secret
  public typealias Surface = EngagementModel.Surface
  public typealias User = EngagementModel.User
  public typealias UserID = EngagementModel.UserID
}
