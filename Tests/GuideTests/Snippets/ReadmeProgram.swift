import EngagementBraze
import EngagementCurl
import EngagementKit

// Placeholders. Braze's dashboard names the SDK endpoint and the API key of your application.
let endpoint = "https://sdk.example.com"
let key = Secret("YOUR-API-KEY")
