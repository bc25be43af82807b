import EngagementModel

// Within the kit the nested types go by their own names. They are internal: an application and its
// other libraries may have types of these names.

typealias Cache = Engagement.Cache
typealias CardCount = Engagement.CardCount
typealias CardFeed = Engagement.CardFeed
typealias CardOptions = Engagement.CardOptions
typealias ContainerMap = Engagement.ContainerMap
typealias ContentKeys = Engagement.ContentKeys
typealias CredentialSource = Engagement.CredentialSource
typealias FailOver = Engagement.FailOver
typealias FeedUpdates<Feed: Hashable & Sendable> = Engagement.FeedUpdates<Feed>
typealias FileSecretStore = Engagement.FileSecretStore
typealias FunctionPresenter = Engagement.FunctionPresenter
typealias InboxFeed = Engagement.InboxFeed
typealias LinesLogger = Engagement.LinesLogger
typealias LogLevel = Engagement.LogLevel
typealias LogLine = Engagement.LogLine
typealias Options = Engagement.Options
typealias ParityReport = Engagement.ParityReport
typealias Presentation = Engagement.Presentation
typealias PresentationMode = Engagement.PresentationMode
typealias PresentedTemplate = Engagement.PresentedTemplate
typealias ProviderOutcome = Engagement.ProviderOutcome
typealias ProviderState = Engagement.ProviderState
typealias ProviderStatus = Engagement.ProviderStatus
typealias PushPhase = Engagement.PushPhase
typealias PushReception = Engagement.PushReception
typealias Receipt = Engagement.Receipt
typealias RefreshExtent = Engagement.RefreshExtent
typealias RefreshOutcome = Engagement.RefreshOutcome
typealias RefreshTarget = Engagement.RefreshTarget
typealias Route = Engagement.Route
typealias Routes = Engagement.Routes
typealias ScenePhase = Engagement.ScenePhase
typealias ScreenEvent = Engagement.ScreenEvent
typealias SecretOwner = Engagement.SecretOwner
typealias SecretStore = Engagement.SecretStore
typealias Shadow = Engagement.Shadow
typealias SignOutReport = Engagement.SignOutReport
typealias Split = Engagement.Split
typealias SurfaceStatus = Engagement.SurfaceStatus
typealias SystemClock = Engagement.SystemClock
typealias TemplatePresenter = Engagement.TemplatePresenter
typealias Templates = Engagement.Templates
typealias UndeliveredActions = Engagement.UndeliveredActions
