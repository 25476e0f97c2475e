import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { alertTable, metricCatalogue } from '@svc/tool-server'
import { expect, test } from 'vitest'
import { renderAlertRules } from './render-alert-rules.ts'

// `npm run docs` rewrites what is generated; a test run only holds it against the code.
const root = join(import.meta.dirname, '../..')

test('docs/metrics.md says what the catalogue of figures says', async () => {
  const rows = metricCatalogue.map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
  )
  const text = `# Figures of the tool server

Generated from \`metric-catalogue.ts\` by \`npm run docs\`. Shown on \`/metrics\` of \`SVC_METRICS_LISTEN\` ([how](watching.md)), beside those of the
process (\`process_*\`, \`nodejs_*\`). Every label takes its values from a closed set; no address, hash, key or session is among them.

| name | type | labels | what it says |
|---|---|---|---|
${rows.join('\n')}
`
  await expect(text).toMatchFileSnapshot(join(root, 'docs/metrics.md'))
})

test('deploy/tool-server/alerts.yaml has the conditions that the server goes by', async () => {
  await expect(renderAlertRules(alertTable)).toMatchFileSnapshot(join(root, 'deploy/tool-server/alerts.yaml'))
})

test('every alert asks for figures that there are, and docs/runbook.md says what to do about it', () => {
  const known = new Set<string>(metricCatalogue.map(({ name }) => name))
  const runbook = readFileSync(join(root, 'docs/runbook.md'), 'utf8')
  for (const { id, expr, condition } of alertTable) {
    const asked = [...expr.matchAll(/svc_\w+/g)].map(([name]) => name)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter((name) => !known.has(name))).toEqual([])
    expect(runbook).toContain(`\n## ${id.replaceAll('_', '-')}\n\n${condition}\n`)
  }
})

test('docs/watching.md names events of the log that there are, and every one of calls, transactions and alerts', () => {
  const page = readFileSync(join(root, 'docs/watching.md'), 'utf8')
  const named = [...page.matchAll(/^\| `([a-z.-]+)` \|/gm)].map(([, name = '']) => name)
  const sources = ['engine', 'tool-server'].flatMap((name) => {
    const folder = join(root, 'packages', name, 'src')
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /^(?!.*\.(test|fixture)\.ts$).*\.ts$/.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
  })
  const written = sources.flatMap((text) =>
    [...text.matchAll(/\blog\.(info|warn)\(\s*'([a-z.-]+)'/g)].map(([, level, name = '']) => ({ level, name })),
  )
  const names = new Set(written.map(({ name }) => name))
  // Those that come by the name of an audit line.
  const byLine = new Set(['tx.refused', 'tx.failed'])
  expect(named.filter((name) => !names.has(name) && !byLine.has(name))).toEqual([])
  const ordinary = written.filter(
    ({ level, name }) =>
      /^(tool\.call|alert\.)/.test(name) || (level === 'info' && /^tx\.(intent|broadcast|outcome)$/.test(name)),
  )
  expect(ordinary.length).toBeGreaterThan(4)
  expect(ordinary.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual([])
})
