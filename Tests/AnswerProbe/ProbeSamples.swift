/// Sound inputs, from which others are made.
public enum ProbeSamples {
  /// Definitions of templates.
  public static let definitions = [
    #"""
    {"offer": {"type": "template", "arguments": {
      "title": {"type": "string", "value": "Hello"}, "count": {"type": "number", "value": 2.5},
      "open": {"type": "action"}, "picture": {"type": "file"},
      "price": {"type": "object", "value": {
        "amount": {"type": "number", "value": 1},
        "tax": {"type": "object", "value": {"isIn": {"type": "boolean", "value": true}}}}},
      "footer.text": {"type": "string", "value": ""}}}}
    """#,
    #"""
    {"rate": {"type": "function", "isVisual": true, "arguments": {}},
     "log": {"type": "function", "isVisual": false, "arguments": {
       "level": {"type": "string", "value": "info"}}}}
    """#,
  ]

  /// Campaigns as the vendor lists them, with an event.
  public static let triggers = [
    #"""
    {"event": "Charged", "first": true, "fired": 3, "session": 0, "zone": 7200, "shown": [1790840000],
     "latitude": 42.7, "longitude": 23.3, "properties": {"Amount": 12, "city": "Varna", "new": [1, "a"]},
     "items": [{"Name": "tea", "Price": 4.5}, {"Name": "cup"}],
     "campaigns": [
      {"ti": 1, "type": "custom-code", "templateName": "offer", "priority": 5, "delayAfterTrigger": 30,
       "vars": {"title": "Now"},
       "whenTriggers": [{"eventName": "Charged", "eventProperties": [
         {"propertyName": "Amount", "operator": 0, "propertyValue": 10},
         {"propertyName": "city", "operator": 3, "propertyValue": ["varna", "Sofia"]}],
         "itemProperties": [{"propertyName": "Name", "operator": 1, "propertyValue": "tea"}],
         "geoRadius": [{"lat": 42.7, "lng": 23.3, "rad": 5}]}],
       "frequencyLimits": [{"type": "days", "limit": 2, "frequency": 3}],
       "occurrenceLimits": [{"type": "onEvery", "limit": 4}]},
      {"ti": 2, "type": "custom-code", "templateName": "offer", "suppressed": true,
       "whenTriggers": [{"eventName": " CHARGED ", "firstTimeOnly": true}]},
      {"ti": 3, "type": "custom-code", "templateName": "offer", "mdc": 1, "tdc": 2, "tlc": 3,
       "whenTriggers": [{"eventName": "Charged", "eventProperties": [
         {"propertyName": "Amount", "operator": 4, "propertyValue": [1, 20]},
         {"propertyName": "gone", "operator": 27}]}]}]}
    """#,
    #"""
    {"event": "City_CTUserAttributeChange", "attribute": "City", "properties": {"newValue": "Varna"},
     "campaigns": [{"ti": 4, "type": "custom-code", "templateName": "a", "wzrk_ttl_offset": 60,
      "whenTriggers": [{"profileAttrName": "City", "eventProperties": [
        {"propertyName": "newValue", "operator": 1, "propertyValue": "varna"}]}],
      "frequencyLimits": [{"type": "weeks", "limit": 1, "frequency": "x"}]}]}
    """#,
  ]

  /// What Atomic says on its socket and in other answers than a feed, and a push of it.
  public static let live = [
    #"{"messageType":"token-expiry"}"#, #"{"messageType":"custom-pong"}"#,
    #"{"messageType":"events-processed","data":{"eventIds":["e-1","e-2"]}}"#,
    #"{"messageType":"error","data":{"errorType":"invalid-filter","subscriptionId":"s1","errorMessage":"no"}}"#,
    #"{"messageType":"error","data":{"errorType":"expired-token","errorMessage":"no"}}"#,
    #"""
    {"messageType":"update-cards","data":{"updates":[{"type":"update-card","data":{"subscriptionId":"s1",
     "actionType":"unsnooze","cardInstance":{"instance":{"id":"a"},"metadata":{"priority":1},"defaultView":{"nodes":
     [{"type":"image","attributes":{"src":"https://example.com/a.png","media":{"actionType":"url","actionUrl":"x"}}},
      {"type":"linkButton","attributes":{"text":"Go","url":"https://example.com/!{who}"}}]}}}}]}}
    """#,
    #"""
    {"aggregates":{"cards":{"total":{"active":3,"unseenCardInstanceIds":["a"]},"byContainer":[
     {"containerId":"home","active":2,"unseenCardInstanceIds":["a"]}]}}}
    """#,
    #"""
    {"atomic":{"source":"io.atomic","cardInstanceId":"a","streamContainerId":"home","detail":{"a":1}},
     "aps":{"alert":{"title":"Due","body":"Now"}}}
    """#,
  ]
}
