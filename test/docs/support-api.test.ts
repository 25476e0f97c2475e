import { join } from 'node:path'
import { apiErrorTable, apiSettings } from '@svc/support-api'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

test('docs/support-api-reference.md says what the settings and the table of codes say', async () => {
  const settings = apiSettings.map(
    ({ name, meaning, default: fallback, secret }) =>
      `| \`${name}\` | ${meaning} | ${fallback ?? ''} | ${secret ? 'yes' : ''} |`,
  )
  const codes = Object.entries(apiErrorTable).map(
    ([code, row]) => `| \`${code}\` | ${row.httpStatus} | ${row.retryable ? 'yes' : 'no'} | ${row.suggestion} |`,
  )
  const text = `# Settings and codes of the support API

Generated from \`settings.ts\` and \`errors.ts\` by \`npm run docs\`. The routes are described by the service itself, at
\`/openapi.json\` and \`/reference\`.

## Settings

All from the environment. A faulty one stops the start, with its code and its fix, and all of them at once.

| name | meaning | default | secret |
|---|---|---|---|
${settings.join('\n')}

## Codes

Every error is \`application/problem+json\`: \`{ type, title, status, code, message, retryable, suggestion, details[] }\`.

| code | HTTP status | retry unchanged | what to do |
|---|---|---|---|
${codes.join('\n')}
`
  await expect(text).toMatchFileSnapshot(join(root, 'docs/support-api-reference.md'))
})
