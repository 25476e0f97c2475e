import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chains } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import { renderNamedSources } from './render-prices.ts'

// `npm run docs` rewrites the tables; a test run only holds them against the rows.
const path = join(import.meta.dirname, '../../docs/prices.md')

test('docs/prices.md lists what the rows name', async () => {
  const [before, , after] = readFileSync(path, 'utf8').split(/<!-- (?:named sources|end of named sources) -->/)
  const page = `${before}<!-- named sources -->\n${renderNamedSources(chains)}\n<!-- end of named sources -->${after}`
  await expect(page).toMatchFileSnapshot(path)
})
