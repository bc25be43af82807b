public import EngagementAdapterAPI
public import EngagementModel
import EngagementPlatform

extension CleverTapAdapter {
  /// The first user who signs in keeps the vendor's device. Every other change of user changes the
  /// device, in the order of the vendor's own clients.
  public func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] {
    let memory = CleverTapMemory(configuration, context)
    if old.isAnonymous, memory.firstIdentified == nil, let id = new.id {
      return firstSignIn(id, memory)
    }
    let environments = PushEnvironment.allCases.filter { context.push[$0] != nil }
    var steps: [TransitionStep] = environments.map { .leave(.unregisterPush($0)) }
    steps += [.sendPending, .apply(reset(memory))]
    guard let id = new.id else { return steps }
    steps += [.enter(.events([launch(in: context)])), .enter(.associate(id))]
    return steps + environments.map { .enter(.registerPush($0)) }
  }

  /// The first user takes over all values of the device.
  private func firstSignIn(_ id: UserID, _ memory: CleverTapMemory) -> [TransitionStep] {
    let values = memory.values.all(.user).map { Change.keep(.user, $0.key, $0.value) }
    return [.adoptPending, .apply(values + identified(memory)), .enter(.associate(id))]
  }

  private func reset(_ memory: CleverTapMemory) -> [Change] {
    CleverTapMemory.Name.ofSession.map { .keep(.user, $0, nil) } + identified(memory)
  }

  private func identified(_ memory: CleverTapMemory) -> [Change] {
    guard memory.firstIdentified == nil else { return [] }
    return [.keep(.installation, CleverTapMemory.Name.firstIdentified, memory.guid ?? "")]
  }

  private func launch(in context: AdapterContext) -> EngagementEvent {
    EngagementEvent(
      id: EventID(context.id(0)), kind: .launch, time: context.now,
      zoneOffset: context.device.zoneOffset)
  }
}
