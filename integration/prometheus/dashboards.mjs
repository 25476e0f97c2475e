// The dashboards of deploy/tool-server, as Grafana's foundation SDK builds them: one row a layer, each panel a few queries.
import { DashboardBuilder, DatasourceVariableBuilder, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard'
import { PanelBuilder as GaugeBuilder } from '@grafana/grafana-foundation-sdk/gauge'
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries'

/** By the name of its file. A query is what is asked, and what its lines are called. */
const pages = {
  'dashboard-writes.json': {
    uid: 'svc-writes',
    title: 'svc: writes and limits',
    rows: {
      'Limits of any 24 hours': [
        gauge('Of the daily limit', 'percentunit', [
          'max by (instance) (svc_safety_spent_usd) / max by (instance) (svc_safety_limit_usd{limit="daily"})',
          '{{instance}}',
        ]),
        gauge('Of the budgets', 'percentunit', [
          'max by (budget) (svc_safety_budget_used_usd) / (max by (budget) (svc_safety_budget_cap_usd) > 0)',
          '{{budget}}',
        ]),
        lines('Alerts that stand', 'short', ['max by (alert) (svc_alert_active)', '{{alert}}']),
        lines(
          'Signing',
          'short',
          ['max(svc_safety_paused)', 'paused'],
          ['max(svc_safety_breaker_open)', 'breaker open'],
          ['1 - min(svc_safety_policy_valid)', 'policy broken'],
        ),
      ],
      'What moves': [
        lines('US dollars an hour', 'currencyUSD', [
          'sum by (direction) (increase(svc_tx_value_usd_total[1h]))',
          '{{direction}}',
        ]),
        lines('Lost at most, US dollars a day', 'currencyUSD', [
          'sum by (tool) (increase(svc_tx_lost_usd_total[1d]))',
          '{{tool}}',
        ]),
        lines('Gas, US dollars a day', 'currencyUSD', [
          'sum by (tool) (increase(svc_tx_gas_usd_total[1d]))',
          '{{tool}}',
        ]),
        lines('Slippage against the simulation, p95 (bps)', 'short', [
          'histogram_quantile(0.95, sum by (le) (rate(svc_tx_slippage_bps_bucket[1h])))',
          'p95',
        ]),
      ],
      Transactions: [
        lines('Handed over, a minute', 'short', [
          'sum by (chain, outcome) (rate(svc_tx_submitted_total[5m])) * 60',
          '{{chain}} {{outcome}}',
        ]),
        lines('Share that reverts', 'percentunit', [
          'sum by (chain) (rate(svc_tx_ended_total{outcome="reverted"}[1h])) / (sum by (chain) (rate(svc_tx_ended_total{outcome=~"confirmed|reverted"}[1h])) > 0)',
          '{{chain}}',
        ]),
        lines('Until confirmed, p95', 's', [
          'histogram_quantile(0.95, sum by (le, chain) (rate(svc_tx_confirm_seconds_bucket[30m])))',
          '{{chain}}',
        ]),
        lines('Refused, by stage and code, an hour', 'short', [
          'sum by (stage, code) (increase(svc_tx_refusals_total[1h])) > 0',
          '{{stage}} {{code}}',
        ]),
        lines('Stages, p95', 's', [
          'histogram_quantile(0.95, sum by (le, stage) (rate(svc_tx_stage_duration_seconds_bucket[30m])))',
          '{{stage}}',
        ]),
        lines(
          'On the way',
          'short',
          ['sum(svc_writes_under_way)', 'writes'],
          ['sum(svc_tx_pending)', 'transactions not decided'],
        ),
      ],
    },
  },
  'dashboard-service.json': {
    uid: 'svc-service',
    title: 'svc: tools, transport and endpoints',
    rows: {
      Tools: [
        lines('Calls a second', 'reqps', ['sum by (outcome) (rate(svc_mcp_tool_calls_total[5m]))', '{{outcome}}']),
        lines('Share of errors by tool', 'percentunit', [
          'sum by (tool) (rate(svc_mcp_tool_calls_total{outcome="error"}[15m])) / (sum by (tool) (rate(svc_mcp_tool_calls_total[15m])) > 0)',
          '{{tool}}',
        ]),
        lines('Errors by code, an hour', 'short', [
          'sum by (code) (increase(svc_mcp_tool_calls_total{outcome="error"}[1h])) > 0',
          '{{code}}',
        ]),
        lines(
          'Time of a call',
          's',
          ...[0.5, 0.95, 0.99].map((share) => [
            `histogram_quantile(${share}, sum by (le) (rate(svc_mcp_tool_duration_seconds_bucket[5m])))`,
            `p${share * 100}`,
          ]),
        ),
      ],
      Transport: [
        lines('Requests a second', 'reqps', [
          'sum by (route, status) (rate(svc_http_requests_total[5m]))',
          '{{route}} {{status}}',
        ]),
        lines('Share of 5xx', 'percentunit', [
          'sum(rate(svc_http_requests_total{status=~"5.."}[5m])) / (sum(rate(svc_http_requests_total[5m])) > 0)',
          '5xx',
        ]),
        lines('Time of a request, p99', 's', [
          'histogram_quantile(0.99, sum by (le, route) (rate(svc_http_request_duration_seconds_bucket[5m])))',
          '{{route}}',
        ]),
        lines(
          'Connections and sessions',
          'short',
          ['sum(svc_http_connections)', 'connections'],
          ['sum(svc_mcp_sessions)', 'sessions'],
        ),
        lines('How callers were taken, a minute', 'short', [
          'sum by (stage, outcome) (rate(svc_auth_total[5m])) * 60',
          '{{stage}} {{outcome}}',
        ]),
        lines('Turned away by limits, a minute', 'short', [
          'sum by (limit) (rate(svc_rate_limited_total[5m])) * 60',
          '{{limit}}',
        ]),
      ],
      Endpoints: [
        lines('Calls a second', 'reqps', [
          'sum by (chain, endpoint, outcome) (rate(svc_rpc_requests_total[5m]))',
          '{{chain}} {{endpoint}} {{outcome}}',
        ]),
        lines('Time of an answer, p95', 's', [
          'histogram_quantile(0.95, sum by (le, chain, endpoint) (rate(svc_rpc_request_duration_seconds_bucket[5m])))',
          '{{chain}} {{endpoint}}',
        ]),
        lines('Age of the newest block', 's', [
          'max by (chain, endpoint) (svc_rpc_head_age_seconds)',
          '{{chain}} {{endpoint}}',
        ]),
      ],
      Process: [
        lines('Resident memory', 'bytes', ['process_resident_memory_bytes', '{{instance}}']),
        lines('Processors used', 'short', ['rate(process_cpu_seconds_total[5m])', '{{instance}}']),
        lines('Delay of the event loop, p99', 's', ['nodejs_eventloop_lag_p99_seconds', '{{instance}}']),
        lines('Versions', 'short', ['count by (version, profile) (svc_build_info)', '{{version}} {{profile}}']),
      ],
    },
  },
}

/** Each dashboard as its file has it. */
export function renderDashboards() {
  return Object.entries(pages).map(([file, page]) => [file, `${JSON.stringify(build(page), null, 2)}\n`])
}

/** Every query of every panel, with where it stands. */
export function queriesOf() {
  return Object.values(pages).flatMap(({ title, rows }) =>
    Object.entries(rows).flatMap(([row, panels]) =>
      panels.flatMap((panel) => panel.queries.map(([expr]) => ({ place: `${title}, ${row}, ${panel.title}`, expr }))),
    ),
  )
}

function lines(title, unit, ...queries) {
  return { Builder: TimeSeriesBuilder, title, unit, queries }
}

function gauge(title, unit, ...queries) {
  return { Builder: GaugeBuilder, title, unit, queries }
}

const source = { type: 'prometheus', uid: '${source}' }

function build({ uid, title, rows }) {
  const page = new DashboardBuilder(title)
    .uid(uid)
    .tags(['svc'])
    .refresh('30s')
    .time({ from: 'now-6h', to: 'now' })
    .withVariable(new DatasourceVariableBuilder('source').label('Prometheus').type('prometheus'))
  for (const [row, panels] of Object.entries(rows)) {
    page.withRow(new RowBuilder(row))
    for (const panel of panels) page.withPanel(panelOf(panel))
  }
  return page.build()
}

function panelOf({ Builder, title, unit, queries }) {
  const panel = new Builder().title(title).unit(unit).datasource(source).height(8).span(6)
  if (Builder === GaugeBuilder) panel.min(0).max(1)
  for (const [expr, legend] of queries) {
    panel.withTarget(new DataqueryBuilder().datasource(source).expr(expr).legendFormat(legend))
  }
  return panel
}
