/** The table of codes: `retryable` says whether the same request may succeed later without a change. */
export const errorTable = {
  VALIDATION_FAILED: row(400, false, 'Correct the fields named in details and ask again.'),
  FAUCET_CHAIN_NOT_SUPPORTED: row(400, false, 'Use a chain that /v1/faucet/status lists.'),
  FAUCET_TARGET_CONTRACT: row(400, false, 'Name the address of a wallet; contracts get nothing.'),
  APP_ID_INVALID: row(401, false, 'Use the id of your app at the wallet provider.'),
  FAUCET_TARGET_FUNDED: row(403, false, 'The wallet holds enough already; use what it has.'),
  HOST_NOT_ALLOWED: row(403, false, 'Use the address the service was configured for.'),
  ORIGIN_NOT_ALLOWED: row(403, false, 'Send the form from the page itself; programs use /v1/faucet/request.'),
  PROXY_REQUIRED: row(403, false, 'Reach the service over https through its edge proxy.'),
  ROUTE_NOT_FOUND: row(404, false, 'See /openapi.json for the routes.'),
  CONTENT_NOT_FOUND: row(404, false, 'Nothing is kept here under this identifier.'),
  METHOD_NOT_ALLOWED: row(405, false, 'Use a method that the Allow header names.'),
  FORMAT_NOT_SUPPORTED: row(406, false, 'Ask for the raw block or for JSON.'),
  FAUCET_ALREADY_CLAIMED: row(409, false, 'A wallet gets one grant per chain; see txHash for the first one.'),
  CONTENT_NOT_CACHED: row(412, false, 'Ask without only-if-cached.'),
  PAYLOAD_TOO_LARGE: row(413, false, 'Send at most what details name.'),
  MEDIA_TYPE_NOT_SUPPORTED: row(415, false, 'Send uncompressed application/json in UTF-8.'),
  HEADERS_TOO_LARGE: row(431, false, 'Send at most 100 header fields, what proxies add included.'),
  PIN_RATE_LIMITED: row(429, true, 'Wait for the time that Retry-After names; a card that is pinned already is free.'),
  RATE_LIMITED: row(429, true, 'Wait for the time that Retry-After names.'),
  INTERNAL: row(500, true, 'Ask again; if it happens again, give the request id to the operator.'),
  PIN_CID_MISMATCH: row(502, true, 'The pinning service answered for other content. Ask again later.'),
  UPSTREAM_UNAVAILABLE: row(503, true, 'Wait for the time that Retry-After names.'),
  FAUCET_DRY: row(503, true, 'The faucet is being filled up; fund the wallet by hand or ask again later.'),
  FAUCET_PAUSED: row(503, true, 'The faucet has given what it gives in a day; ask again later.'),
} as const satisfies Readonly<Record<string, ErrorRow>>

export type ErrorCode = keyof typeof errorTable

export type ErrorRow = { readonly httpStatus: number; readonly retryable: boolean; readonly suggestion: string }

function row<Status extends number>(httpStatus: Status, retryable: boolean, suggestion: string) {
  return { httpStatus, retryable, suggestion } as const
}
