import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAuthorizingProxy } from './authorizing-proxy.mjs'
import { kinds } from './credentials.mjs'
import { openFixtureServer } from './fixture-server.mjs'
import { runConformance } from './run-conformance.mjs'

/**
 * Every server scenario that a revision requires, against the product's stack with the suite's fixtures on it: once with each kind of credential, each
 * time against a server of its own.
 */
export async function checkConformance(revision, issuers, report, signal) {
  const required = await requiredScenarios(revision, signal)
  const waiting = [...kinds]
  const runAll = async () => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      await checkWith(kind, { revision, required, issuers, report, signal })
    }
  }
  // The suite waits for streams by its own clock: more of them at once than a small machine has processors would fail it.
  await Promise.all([runAll(), runAll()])
}

async function checkWith(kind, { revision, required, issuers, report, signal }) {
  const name = `conformance ${revision} with ${kind}`
  const server = await openFixtureServer(issuers.settings)
  const proxy = await openAuthorizingProxy(server.url, await issuers.headersOf(kind, server))
  const results = await mkdtemp(join(tmpdir(), 'svc-conformance-results-'))
  try {
    await requireKey(server.url, report)
    const args = ['server', '--url', proxy.url, '--requirements', revision, '--output-dir', results]
    const { status, left } = await runConformance(args, signal)
    summarise({ name, revision }, required, await readResults(results), report)
    if (status !== 0) report.failed(`${name}: the suite itself says no (exit code ${status})`)
    if (left.length > 0) report.failed(`${name} left processes behind: ${left.join(', ')}`)
  } finally {
    await proxy.close()
    await server.close()
    await rm(results, { recursive: true })
  }
}

/** How many server scenarios each frozen requirement set has: fewer would mean that the list was misread. */
const requiredCounts = { '2025-11-25': 30, '2026-07-28': 37 }

async function requiredScenarios(revision, signal) {
  const { stdout } = await runConformance(['list', '--requirements', revision], signal)
  const [, section = ''] = stdout.split(/^Server scenarios.*$/m)
  const lines = section.trimStart().split('\n')
  const end = lines.findIndex((line) => line.trim() === '')
  const names = lines.slice(0, end).map((line) => line.replace(/^\s*- /, ''))
  if (names.length === requiredCounts[revision]) return names
  throw new Error(`The suite lists ${names.length} required scenarios for ${revision}: ${names.join(', ')}`)
}

/** The checks of each scenario, by its name. */
async function readResults(directory) {
  const results = new Map()
  for (const folder of await readdir(directory)) {
    const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
    results.set(scenario, JSON.parse(await readFile(join(directory, folder, 'checks.json'), 'utf8')))
  }
  return results
}

function summarise({ name, revision }, required, results, report) {
  const failing = required.filter((scenario) => !passes(results.get(scenario)))
  const line = `${name}: ${required.length - failing.length} of ${required.length} required scenarios pass`
  if (failing.length === 0) report.passed(line)
  else report.failed(line)
  for (const scenario of failing) {
    report.noted(scenario)
    for (const { id, errorMessage } of complaints(results.get(scenario))) report.noted(`  ${id}: ${errorMessage}`)
  }
  if (revision === '2026-07-28') summariseTasks(name, results, report)
  const others = [...results.keys()].filter((scenario) => !required.includes(scenario))
  const open = others.filter((scenario) => !passes(results.get(scenario)))
  report.noted(`not required: ${others.length - open.length} of ${others.length} pass`)
  if (open.length > 0) report.noted(`  open: ${open.join(', ')}`)
}

/** The extension's own scenarios, which no revision requires: all that the suite plays have to pass. */
function summariseTasks(name, results, report) {
  const scenarios = [...results].filter(([scenario, checks]) => scenario.startsWith('tasks-') && checks.some(isPlayed))
  const failing = scenarios.filter(([, checks]) => !passes(checks))
  const line = `${name}: ${scenarios.length - failing.length} of ${scenarios.length} scenarios of the tasks extension pass`
  if (failing.length === 0 && scenarios.length === playedTaskScenarios) report.passed(line)
  else report.failed(line)
  for (const [scenario, checks] of failing) {
    report.noted(scenario)
    for (const { id, errorMessage } of complaints(checks)) report.noted(`  ${id}: ${errorMessage}`)
  }
}

/** Of ten; the one of notifications is skipped by the suite itself. */
const playedTaskScenarios = 9

function isPlayed({ status }) {
  return status === 'SUCCESS' || status === 'FAILURE'
}

function passes(checks = []) {
  return checks.some(({ status }) => status === 'SUCCESS') && complaints(checks).length === 0
}

function complaints(checks = []) {
  return checks.filter(({ status }) => status === 'FAILURE')
}

/** The server that is judged does ask for a key; only the proxy has one. */
async function requireKey(url, report) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })
  if (response.status !== 401) report.failed(`the server under test answers ${response.status} without a key`)
}
