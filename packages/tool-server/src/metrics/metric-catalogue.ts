/**
 * Every figure of our own that a tool server shows on `/metrics`, beside those of the process (`process_*`, `nodejs_*`). Every label takes
 * its values from a closed set: names of tools, chains, stages and codes, never an address, a hash, a key or a session.
 */
export const metricCatalogue = [
  // infrastructure
  gauge('svc_build_info', '1, with the version and the profile that run.', ['version', 'profile']),
  counter('svc_http_requests_total', 'HTTP requests answered.', ['route', 'method', 'status']),
  histogram('svc_http_request_duration_seconds', 'From the headers of a request to the end of its answer.', ['route']),
  gauge('svc_http_connections', 'Open connections of the HTTP transport.'),
  gauge('svc_mcp_sessions', 'Open sessions of the protocol revisions that have them.'),
  counter('svc_auth_total', 'Requests by how their credentials were taken.', ['stage', 'outcome']),
  counter('svc_rate_limited_total', 'Requests turned away because a rate limit was used up.', ['limit']),
  counter('svc_rpc_requests_total', 'JSON-RPC calls by endpoint and outcome.', [
    'chain',
    'endpoint',
    'method',
    'outcome',
  ]),
  histogram('svc_rpc_request_duration_seconds', 'From asking an endpoint to its answer.', ['chain', 'endpoint']),
  gauge('svc_rpc_head_age_seconds', 'Age of the newest block when an endpoint last gave it.', ['chain', 'endpoint']),
  // calls of tools
  counter('svc_mcp_tool_calls_total', 'Calls of tools; `code` is that of the error, or `none`.', [
    'tool',
    'outcome',
    'code',
  ]),
  histogram('svc_mcp_tool_duration_seconds', 'From the name of a tool to the envelope of its answer.', [
    'tool',
    'outcome',
  ]),
  // transactions
  histogram('svc_tx_stage_duration_seconds', 'Stages of the transaction pipeline.', ['stage']),
  counter('svc_tx_refusals_total', 'Writes that a stage ended, dry runs left out.', ['stage', 'code']),
  counter(
    'svc_tx_unknown_recipient_total',
    'Writes refused because the policy does not list who is called, paid or approved.',
  ),
  counter('svc_tx_failed_total', 'Writes that failed after something was signed, or by a fault of chain or server.'),
  counter(
    'svc_tx_large_total',
    'Settled writes that spent, or brought home, what the alert of large withdrawals names.',
  ),
  counter('svc_tx_intents_total', 'Transactions about to be signed.', ['tool', 'chain']),
  counter('svc_tx_submitted_total', 'Signed transactions handed over, by what the endpoint said.', [
    'chain',
    'outcome',
  ]),
  counter('svc_tx_ended_total', 'Transactions by what became of them.', ['chain', 'outcome']),
  histogram('svc_tx_confirm_seconds', 'From handing a transaction over to its confirmations.', ['chain']),
  counter('svc_tx_gas_used_total', 'Gas of mined transactions.', ['chain']),
  counter('svc_tx_gas_usd_total', 'Gas of settled writes in US dollars.', ['tool']),
  counter('svc_tx_settled_total', 'Writes that came to their end.', ['tool', 'chain']),
  counter('svc_tx_value_usd_total', 'Worth of what left, or came home, with settled writes.', ['tool', 'direction']),
  counter(
    'svc_tx_lost_usd_total',
    'The most that settled writes could have lost in value, as it counts against the budget.',
    ['tool'],
  ),
  histogram('svc_tx_slippage_bps', 'How much less arrived than was simulated, in hundredths of a percent.', ['tool']),
  // safety
  gauge('svc_safety_readable', '0 while limits and switches cannot be read, and are not shown.'),
  gauge('svc_safety_spent_usd', 'Spent in any 24 hours, gas among it.'),
  gauge('svc_safety_limit_usd', 'Limits of the policy.', ['limit']),
  gauge('svc_safety_budget_used_usd', 'Used of the budgets of value and gas of any 24 hours.', ['budget']),
  gauge('svc_safety_budget_cap_usd', 'Those budgets.', ['budget']),
  gauge('svc_safety_paused', '1 while the operator has stopped signing.'),
  gauge('svc_safety_breaker_open', '1 while the circuit breaker is open.'),
  gauge('svc_safety_policy_valid', '0 while the policy file is broken and nothing is signed.'),
  gauge('svc_tx_pending', 'Transactions that are signed and not decided.'),
  gauge('svc_alert_active', '1 while an alert of the process itself stands.', ['alert']),
  gauge('svc_leader', '1 for the server that writes, 0 for one that follows another on a shared database.'),
  gauge('svc_takeovers', 'How often this process took the lead over from another server.'),
  gauge('svc_writes_under_way', 'Writes that have begun and not ended, those in line among them.'),
] as const satisfies readonly Metric[]

export type Metric = {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
}

type Row = (typeof metricCatalogue)[number]
export type MetricName<Type extends Metric['type']> = Extract<Row, { readonly type: Type }>['name']
export type LabelsOf<Name extends Row['name']> = Readonly<
  Record<Extract<Row, { readonly name: Name }>['labels'][number], string>
>

/** Upper bounds of the buckets of each histogram: seconds unless its name says otherwise. */
export const bucketsOf: Readonly<Record<MetricName<'histogram'>, readonly number[]>> = {
  svc_http_request_duration_seconds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  svc_rpc_request_duration_seconds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 12],
  svc_mcp_tool_duration_seconds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  svc_tx_stage_duration_seconds: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120],
  svc_tx_confirm_seconds: [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300],
  svc_tx_slippage_bps: [0, 1, 5, 10, 25, 50, 100, 250, 500],
}

function counter<const Name extends string, const Label extends string = never>(
  name: Name,
  help: string,
  labels: readonly Label[] = [],
) {
  return { name, type: 'counter', help, labels } as const
}

function gauge<const Name extends string, const Label extends string = never>(
  name: Name,
  help: string,
  labels: readonly Label[] = [],
) {
  return { name, type: 'gauge', help, labels } as const
}

function histogram<const Name extends string, const Label extends string = never>(
  name: Name,
  help: string,
  labels: readonly Label[] = [],
) {
  return { name, type: 'histogram', help, labels } as const
}
