// Holds the rules for Prometheus against series that are made from the thresholds of the same table, and the dashboards against what a
// server shows: see ./run.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { alertThresholds, openServer, readConfig } from '../../packages/tool-server/dist/index.js'
import { queriesOf, renderDashboards } from './dashboards.mjs'

const { volumeSpike, failures, unknownRecipient, rateLimit, dailySpend } = alertThresholds
const dailyLimitUsd = 2_000
const limit = { series: 'svc_safety_limit_usd{instance="a",limit="daily"}', values: `${dailyLimitUsd}x2100` }
const noLimit = { ...limit, values: '0x2100' }
const moved = 'svc_tx_value_usd_total{instance="a",tool="execute_swap",direction="left"}'

/** A counter that stands at 0 for a day, rises by so much within a minute, and stays; in steps of a minute. */
const riseBy = (series, by) => ({ series, values: `0x1440 ${by}x400` })
/** When a rise of the last minute counts in full. */
const justAfter = { interval: '1m', evalTime: '1442m' }

/** Seven days, in steps of five minutes: promtool keeps no more samples in memory. */
const weekOn = { interval: '5m', evalTime: '10080m' }

const cases = [
  // A wallet that has moved nothing all week: the share of the daily limit decides.
  fires('SvcTransactionVolumeSpike', [limit, riseBy(moved, volumeSpike.leastOfDailyLimit * dailyLimitUsd * 1.2)]),
  quiet('SvcTransactionVolumeSpike', [limit, riseBy(moved, volumeSpike.leastOfDailyLimit * dailyLimitUsd * 0.7)]),
  // One that has moved 100 USD a minute all week: that is no spike, three times as much is none, five times is one.
  quiet('SvcTransactionVolumeSpike', [limit, { series: moved, values: '0+500x2020' }], weekOn),
  quiet('SvcTransactionVolumeSpike', [limit, { series: moved, values: '0+500x2013 1008000+1500x6' }], weekOn),
  fires('SvcTransactionVolumeSpike', [limit, { series: moved, values: '0+500x2013 1009000+2500x6' }], weekOn),
  fires('SvcLargeWithdrawal', [riseBy('svc_tx_large_total{instance="a"}', 1)]),
  quiet('SvcLargeWithdrawal', [riseBy('svc_tx_large_total{instance="a"}', 0)]),
  fires('SvcFailedTransactions', [riseBy('svc_tx_failed_total{instance="a"}', failures.least)]),
  quiet('SvcFailedTransactions', [riseBy('svc_tx_failed_total{instance="a"}', failures.least - 1)]),
  fires('SvcUnknownRecipient', [riseBy('svc_tx_unknown_recipient_total{instance="a"}', unknownRecipient.least)]),
  quiet('SvcUnknownRecipient', [riseBy('svc_tx_unknown_recipient_total{instance="a"}', 0)]),
  fires('SvcRateLimitExhausted', [riseBy('svc_rate_limited_total{instance="a",limit="token"}', rateLimit.least)]),
  quiet('SvcRateLimitExhausted', [riseBy('svc_rate_limited_total{instance="a",limit="token"}', rateLimit.least * 0.7)]),
  fires('SvcDailySpend', [limit, spent(dailySpend.ofDailyLimit)]),
  quiet('SvcDailySpend', [limit, spent(dailySpend.ofDailyLimit - 0.001)]),
  // Of a limit of 0 no share is much: nothing is spent, and what comes home is no spike.
  quiet('SvcDailySpend', [noLimit, spent(0)]),
  quiet('SvcTransactionVolumeSpike', [noLimit, riseBy(moved, 5)]),
  // Of two servers each is held against its own limit.
  quiet('SvcDailySpend', [limit, spent(0.1), { series: 'svc_safety_spent_usd{instance="b"}', values: '1999x2000' }]),
]

/** A case of an alert that fires then, by its name. */
function fires(alert, series, when = justAfter) {
  return { alert, series, firing: 1, ...when }
}

function quiet(alert, series, when = justAfter) {
  return { ...fires(alert, series, when), firing: 0 }
}

function spent(share) {
  return { series: 'svc_safety_spent_usd{instance="a"}', values: `${share * dailyLimitUsd}x2000` }
}

const folder = mkdtempSync(join(tmpdir(), 'svc-rules-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const deploy = fileURLToPath(new URL('../../deploy/tool-server/', import.meta.url))
const rules = join(deploy, 'alerts.yaml')

const checks = [checkAlerts, checkDashboards, checkNames]
let failed = 0
for (const check of checks) failed += await check()
console.log(failed === 0 ? 'all held' : `${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

/** Each alert fires just above its condition and is quiet just below. */
function checkAlerts() {
  let failed = run('the rules are in order', ['check', 'rules', rules])
  failed += run('Prometheus can read its settings', [
    'check',
    'config',
    '--syntax-only',
    join(deploy, 'prometheus.yml'),
  ])
  for (const { alert, series, firing, interval, evalTime } of cases) {
    const firings = `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`
    const expected = { expr: firings, eval_time: evalTime, exp_samples: [{ labels: '{}', value: firing }] }
    const test = { interval, input_series: series, promql_expr_test: [expected] }
    const file = write('test.json', { rule_files: [rules], evaluation_interval: interval, tests: [test] })
    const what = series.map(({ series: name, values }) => `${name} ${values}`).join(', ')
    failed += run(`${alert} ${firing === 1 ? 'fires' : 'is quiet'}: ${what}`, ['test', 'rules', file])
  }
  console.log(`${cases.length} cases of ${new Set(cases.map(({ alert }) => alert)).size} alerts`)
  return failed
}

/** The committed dashboards are what is built here, and Prometheus can read each of their queries. */
function checkDashboards() {
  let failed = 0
  for (const [file, text] of renderDashboards()) {
    const path = join(deploy, file)
    if (process.argv.includes('--update')) writeFileSync(path, text)
    else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
      console.error(`FAILED ${file} is not what dashboards.mjs builds: run integration/prometheus/run --update`)
      failed += 1
    }
  }
  const recorded = queriesOf().map(({ expr }, index) => ({ record: `query:${index}`, expr }))
  const file = write('queries.json', { groups: [{ name: 'dashboards', rules: recorded }] })
  console.log(`${recorded.length} queries of dashboards`)
  return failed + run('every query of a dashboard can be read', ['check', 'rules', '--lint=none', file])
}

/** A server that runs shows every figure that a query asks for. */
async function checkNames() {
  const SVC_DATA_DIR = join(folder, 'data')
  const place = '127.0.0.1:0'
  const environment = { SVC_DATA_DIR, SVC_LISTEN: place, SVC_METRICS_LISTEN: place, LOG_LEVEL: 'silent' }
  const server = await openServer(readConfig(environment))
  const { metricsUrl } = await server.listen()
  const page = await (await fetch(metricsUrl)).text()
  await server.close()
  const shown = new Set(
    [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name],
    ),
  )
  const asked = queriesOf().flatMap(({ place, expr }) =>
    [...expr.matchAll(/\b(?:svc|process|nodejs)_\w+/g)].map(([name]) => ({ place, name })),
  )
  const missing = asked.filter(({ name }) => !shown.has(name))
  for (const { place, name } of missing) console.error(`FAILED ${place}: a server shows no ${name}`)
  console.log(`${asked.length} names in queries, all of them held against ${shown.size} that a server shows`)
  return missing.length
}

function write(name, value) {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(value))
  return file
}

/** How many failed: 0 or 1. */
function run(name, args) {
  const { status, stdout, stderr } = spawnSync(process.env.PROMTOOL ?? 'promtool', args, { encoding: 'utf8' })
  if (status === 0) return 0
  console.error(`FAILED ${name}\n${stdout}${stderr}`)
  return 1
}
