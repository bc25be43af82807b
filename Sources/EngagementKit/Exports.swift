// An application imports this module alone, and the model is what it speaks in.
@_exported public import EngagementModel
