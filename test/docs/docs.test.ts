import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue, readConfig, settings } from '@svc/tool-server'
import { errorTable } from '@svc/amm'
import { walletErrorTable, walletResultTable } from '@svc/wallet/core'
import { auditEventNames } from '@svc/engine/switches'
import { mostLost, parsePolicy, policyJsonSchema, policyMembers, runPolicyCases } from '@svc/engine/policy'
import { expect, test } from 'vitest'
import { renderLosses } from './render-losses.ts'
import { renderPolicy } from './render-policy.ts'
import { renderTools } from './render-tools.ts'
import { samplePolicy } from './sample-policy.ts'

// `npm run docs` rewrites these files; a test run only holds them against the code.
const root = join(import.meta.dirname, '../..')

test('docs/tools.md says what the catalogue says', async () => {
  await expect(renderTools(catalogue)).toMatchFileSnapshot(join(root, 'docs/tools.md'))
})

test('docs/errors.md says what the table of codes says', async () => {
  const rows = Object.entries(errorTable).map(
    ([code, row]) => `| \`${code}\` | ${row.httpStatus} | ${row.retryable ? 'yes' : 'no'} | ${row.suggestion} |`,
  )
  const text = `# Error codes

Generated from \`errors/\` by \`npm run docs\`. Every error is \`{ code, message, retryable, suggestion, details[] }\`: over MCP a
result with \`isError: true\`, the envelope as JSON text and under \`_meta["svc/error"]\`; over HTTP \`application/problem+json\`.

| code | HTTP status | retry unchanged | what to do |
|---|---|---|---|
${rows.join('\n')}
`
  await expect(text).toMatchFileSnapshot(join(root, 'docs/errors.md'))
})

test('docs/wallet-errors.md says what the table of the wallet says', async () => {
  const [thrown, reported] = [walletErrorTable, walletResultTable].map((table) =>
    Object.entries(table)
      .map(([code, row]) => `## ${code}\n\n${row.meaning}\n\n${row.suggestion}\n${detailsOf(row.details)}`)
      .join('\n'),
  )
  const text = `# Errors of the wallet package

Generated from \`wallet-error-table.ts\` by \`npm run docs\`. What \`@svc/wallet\` throws is a
\`WalletError\` with one of these codes, a short message, \`suggestion\` (below, unless the thrower knows better), \`docs\` (the
place on this page) and \`details\`, which always have the members that are named here, and often more; \`request\` of the EIP-1193 provider rejects with a \`ProviderRpcError\`, whose \`data.code\` is
one of them where a \`WalletError\` is the cause; where the provider itself refuses (4100, 4200, 4901, -32602 of a field) the number says it, and \`data\` is undefined. What a journal, a record, a signer or a listener of your own throws comes through as it is.

${thrown}
# Codes in results

Nothing is thrown with these: they are the \`code\` of a result that is pending or deferred, or of an entry in \`attempts\`,
where codes from above are as well.

${reported}`
  await expect(text).toMatchFileSnapshot(join(root, 'docs/wallet-errors.md'))
})

function detailsOf(names: readonly string[]): string {
  return names.length === 0 ? '' : `\n\`details\`: ${names.map((name) => `\`${name}\``).join(', ')}.\n`
}

test('docs/operating.md names every event of the audit log in its table, and none besides', () => {
  const [, section = ''] =
    /^## Read the audit log$([^]*?)^## /m.exec(readFileSync(join(root, 'docs/operating.md'), 'utf8')) ?? []
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  const named = rows.flatMap((row) => [...row.matchAll(/`([a-z]+(?:\.[a-z-]+)+)`/g)].map(([, name = '']) => name))
  expect(named.toSorted()).toEqual(auditEventNames.toSorted())
})

test('docs/config.md says what the settings say', async () => {
  const rows = settings.map(
    ({ name, meaning, default: fallback, secret }) =>
      `| \`${name}\` | ${meaning} | ${fallback ?? ''} | ${secret ? 'yes' : ''} |`,
  )
  const text = `# Settings

Generated from \`settings.ts\` by \`npm run docs\`. Settings come from the environment, laid over \`.env\` in the data directory.

| name | meaning | default | secret |
|---|---|---|---|
${rows.join('\n')}
`
  await expect(text).toMatchFileSnapshot(join(root, 'docs/config.md'))
})

test('docs/policy.md says what the schema of the policy says', async () => {
  const members = policyMembers()
  expect(members.filter(({ description }) => description === '')).toEqual([])
  const policy = parsePolicy({}, { production: true })
  const small = parsePolicy(
    { limitsUsd: { perTransaction: '100', perSession: '300', daily: '300' } },
    { production: true },
  )
  const columns = [
    { title: 'defaults', policy },
    { title: '300 a day', policy: small },
  ]
  const losses = renderLosses(columns, policy)
  await expect(renderPolicy(members, samplePolicy, losses)).toMatchFileSnapshot(join(root, 'docs/policy.md'))
})

test('docs/production.md and SECURITY.md say what a day can cost under the defaults as the code has it', () => {
  const { trades, gas, homeGas, total } = mostLost(parsePolicy({}, { production: true }))
  for (const name of ['docs/production.md', 'SECURITY.md']) {
    const text = readFileSync(join(root, name), 'utf8').replace(/\s+/g, ' ')
    expect(text).toContain(`${total} US dollars in any 24 hours`)
    expect(text).toContain(`${trades} in bad trades, ${gas} of gas, and ${homeGas} of gas of bringing funds home`)
  }
})

/** What `docs/policy.md` shows as JSON, in its order. */
const shownJson = (): readonly string[] =>
  [...readFileSync(join(root, 'docs/policy.md'), 'utf8').matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => json)

test('the policy that docs/policy.md begins with is a valid one, and says what is said of it', () => {
  const written: unknown = JSON.parse(shownJson()[0] ?? '')
  expect(parsePolicy(written, { production: false })).toMatchObject({
    limitsUsd: { perTransaction: '500', perSession: '1000', daily: '2000' },
    approvalThresholdUsd: '250',
    allowlist: { mode: 'strict' },
  })
  const options = { production: true }
  expect(parsePolicy(written, options)).toEqual(parsePolicy({}, options))
})

test('the cases that docs/policy.md shows are as expected', () => {
  const [, cases = ''] = shownJson()
  const { chains } = readConfig({ SVC_DATA_DIR: join(root, 'no-such-directory') })
  const options = { policy: parsePolicy({}, { production: true }), chains, nowSeconds: 0 }
  expect(runPolicyCases(JSON.parse(cases), options)).toMatchObject([{ passed: true, problem: null }])
})

test('docs/policy.schema.json is the schema of the policy', async () => {
  const text = `${JSON.stringify(policyJsonSchema(), null, 2)}\n`
  await expect(text).toMatchFileSnapshot(join(root, 'docs/policy.schema.json'))
})

test('the settings that docs/production.md shows are in order, and hold in production', () => {
  const page = readFileSync(join(root, 'docs/production.md'), 'utf8')
  const [, block = ''] = /```ini\n(.*?)```/s.exec(page) ?? []
  const shown = Object.fromEntries(block.split('\n').flatMap((line) => (line === '' ? [] : [splitSetting(line)])))
  const config = readConfig({ SVC_DATA_DIR: join(root, 'no-such-directory'), ...shown })
  expect(config).toMatchObject({ production: true, profile: 'full', wallet: { type: 'managed' }, warnings: [] })
  expect(config.rpc.urls.get(8453)).toHaveLength(2)
  const allowing = /```properties\n([^`]*)```/.exec(page)?.[1] ?? ''
  const lines = Object.fromEntries(
    allowing
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  )
  expect(readConfig({ SVC_DATA_DIR: join(root, 'no-such-directory'), ...lines })).toMatchObject({
    profile: 'full',
    provision: { role: 'vault_participant' },
  })
  expect(page).toContain('Set `approvalThresholdUsd` to `"0"`')
  expect(parsePolicy({ approvalThresholdUsd: '0' }, { production: true })).toMatchObject({
    approvalThresholdUsd: '0',
    allowlist: { mode: 'strict' },
    approvals: { channels: ['operator'] },
  })
})

function splitSetting(line: string): readonly [name: string, value: string] {
  const at = line.indexOf('=')
  return [line.slice(0, at), line.slice(at + 1)]
}
