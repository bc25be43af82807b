import EngagementAdapterAPI
public import EngagementModel

extension Engagement {
  /// The templates that an application defines, by the provider whose campaigns fill them in:
  /// `["clevertap": [.template(offer, shownBy: OfferPresenter())]]`.
  ///
  /// `open` checks them before anything starts. A name stands for one definition in the whole
  /// application; two providers may share it.
  public struct Templates: Sendable, ExpressibleByDictionaryLiteral {
    let list: [(provider: ProviderID, templates: [PresentedTemplate])]

    public init(dictionaryLiteral elements: (ProviderID, [PresentedTemplate])...) {
      self.init(elements)
    }

    /// Templates that are known only at run time.
    public init(_ elements: [(ProviderID, [PresentedTemplate])]) {
      list = elements.map { (provider: $0.0, templates: $0.1) }
    }

    /// The templates of a provider, in their order.
    func templates(of provider: ProviderID) -> [PresentedTemplate] {
      list.filter { $0.provider == provider }.flatMap(\.templates)
    }

    func template(_ name: String, of provider: ProviderID) -> PresentedTemplate? {
      templates(of: provider).first { $0.template.name.hasSameBytes(as: name) }
    }
  }

  /// A template with the part of the application that shows it, or a function with the part that runs
  /// it.
  public struct PresentedTemplate: Sendable {
    public let template: Template
    let presenter: Presenter

    enum Presenter: Sendable {
      case template(any TemplatePresenter)
      case function(any FunctionPresenter)
    }

    /// A template that the presenter shows.
    public static func template(
      _ builder: Template.Builder<Template.Shown>, shownBy presenter: any TemplatePresenter
    ) -> PresentedTemplate {
      PresentedTemplate(template: builder.template, presenter: .template(presenter))
    }

    /// A function that the presenter runs.
    public static func function(
      _ builder: Template.Builder<Template.Called>, runBy presenter: any FunctionPresenter
    ) -> PresentedTemplate {
      PresentedTemplate(template: builder.template, presenter: .function(presenter))
    }

    /// Templates and functions that were read from a document, each with the presenter of its kind.
    public static func all(
      _ templates: [Template], shownBy templatePresenter: any TemplatePresenter,
      runBy functionPresenter: any FunctionPresenter
    ) -> [PresentedTemplate] {
      templates.map { template in
        switch template.kind {
        case .template:
          PresentedTemplate(template: template, presenter: .template(templatePresenter))
        case .function:
          PresentedTemplate(template: template, presenter: .function(functionPresenter))
        }
      }
    }
  }
}

extension Templates {
  /// Throws `invalidConfiguration`, which names the template and the provider.
  func check(_ providers: [Provider]) throws(EngagementError) {
    var definitions: [String: Template] = [:]
    for (id, templates) in list {
      let provider = try providers.configured(id, "templates")
      let capabilities = provider.adapter.capabilities
      guard capabilities.ability(.campaigns).travel != .unsupported else {
        throw .configurationFault("templates[\"\(id)\"] is of a vendor that has no campaigns.")
      }
      for template in templates.map(\.template) {
        let field = "templates[\"\(id)\"] \"\(template.name)\""
        if capabilities.reservedTemplates.contains(template.name) {
          throw .configurationFault("\(field) has the name of one of the vendor's own; rename it.")
        }
        if let other = definitions.updateValue(template, forKey: template.name), other != template {
          throw .configurationFault("\(field) is defined twice; rename one of them.")
        }
      }
      try checkNames(of: id)
    }
  }

  private func checkNames(of provider: ProviderID) throws(EngagementError) {
    var seen: Set<String> = []
    for template in templates(of: provider).map(\.template)
    where !seen.insert(template.name).inserted {
      throw .configurationFault(
        "templates[\"\(provider)\"] \"\(template.name)\" is defined twice; rename one of them.")
    }
  }
}
