import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onEachEngine } from './on-each-engine.ts'

const root = join(import.meta.dirname, '..')
const require = createRequire(import.meta.url)
let house: string

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'svc-boundaries-'))
  const rules: unknown = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8'))
  writeFileSync(join(house, '.oxlintrc.json'), JSON.stringify({ ...Object(rules), options: {} }))
})

afterAll(() => rmSync(house, { recursive: true, force: true }))

const tool = 'packages/tool-server/src/tools/market/x.ts'
const analysis = 'packages/tool-server/src/analysis/x.ts'
const amm = 'packages/amm/src/liquidity/x.ts'
const engine = 'packages/engine/src/stages/x.ts'

test.each([
  ['packages/lp-math/src/x.ts', `import 'node:fs'`, 'no-restricted-imports'],
  [
    'packages/lp-math/src/x.ts',
    `import { hexToBigInt } from 'viem'\nexport const x = hexToBigInt('0x1')`,
    'no-restricted-imports',
  ],
  ['packages/lp-math/src/x.ts', `export const now = () => Date.now()`, 'no-restricted-globals'],
  ['packages/lp-math/src/x.ts', `export const draw = () => Math.random()`, 'no-restricted-properties'],
  ['packages/runtime/src/x.ts', `import '@svc/wallet/core'`, 'no-restricted-imports'],
  [
    'packages/runtime/src/x.ts',
    `import { keccak256 } from 'viem'\nexport const x = keccak256`,
    'no-restricted-imports',
  ],
  ['packages/wallet/src/x.ts', `import '@svc/store'`, 'no-restricted-imports'],
  [
    'packages/store/src/x.ts',
    `import { findChain } from '@svc/wallet/core'\nexport const x = findChain`,
    'no-restricted-imports',
  ],
  ['packages/test-utils/src/x.ts', `import '@svc/devnet'`, 'no-restricted-imports'],
  ['packages/devnet/src/x.ts', `import '@svc/tool-server'`, 'no-restricted-imports'],
  ['packages/support-api/src/x.ts', `import '@svc/tool-server'`, 'no-restricted-imports'],
  ['packages/support-api/src/x.ts', `import '@svc/devnet'`, 'no-restricted-imports'],
  ['packages/tool-server/src/x.ts', `import '@svc/devnet'`, 'no-restricted-imports'],
  [tool, `import './get-quote.ts'`, 'no-restricted-imports'],
  [tool, `import '../trade/execute-swap.ts'`, 'no-restricted-imports'],
  [tool, `import '../../auth/api-key.ts'`, 'no-restricted-imports'],
  [tool, `import '../../open-write-pipeline.ts'`, 'no-restricted-imports'],
  [tool, `import '../../pipeline.ts'`, 'no-restricted-imports'],
  [
    tool,
    `import { privateKeyToAccount } from 'viem/accounts'\nexport const x = privateKeyToAccount`,
    'no-restricted-imports',
  ],
  [tool, `import '@svc/store'`, 'no-restricted-imports'],
  [tool, `import '@svc/engine/open'`, 'no-restricted-imports'],
  [analysis, `import '../tools/index.ts'`, 'no-restricted-imports'],
  [analysis, `import '../dispatch/handle.ts'`, 'no-restricted-imports'],
  [analysis, `import '@svc/store'`, 'no-restricted-imports'],
  ['packages/tool-server/src/charts/x.ts', `import '../auth/api-key.ts'`, 'no-restricted-imports'],
  [amm, `import '@svc/store'`, 'no-restricted-imports'],
  [amm, `import '@svc/engine'`, 'no-restricted-imports'],
  [amm, `import '@svc/wallet/service-wallet'`, 'no-restricted-imports'],
  [
    amm,
    `import { privateKeyToAccount } from 'viem/accounts'\nexport const x = privateKeyToAccount`,
    'no-restricted-imports',
  ],
  [amm, `import '../upstream/route-liquidity.ts'`, 'no-restricted-imports'],
  ['packages/amm/src/abis/x.ts', `import '../liquidity/v4/plan-swap.ts'`, 'no-restricted-imports'],
  [engine, `import '@svc/tool-server'`, 'no-restricted-imports'],
  [engine, `import '@svc/devnet'`, 'no-restricted-imports'],
  ['packages/engine/src/calldata/x.ts', `import '../pipeline.ts'`, 'no-restricted-imports'],
  ['packages/engine/src/recovery/x.ts', `import '../open-engine.ts'`, 'no-restricted-imports'],
  [engine, `import '../recovery/reconcile.ts'`, 'no-restricted-imports'],
  [
    'packages/engine/src/transactions/x.ts',
    `import type { Reserved } from '../stages/reserve-spend.ts'\nexport type X = Reserved`,
    'no-restricted-imports',
  ],
  ['packages/engine/src/operations/x.ts', `import '../recovery/reconcile.ts'`, 'no-restricted-imports'],
  ['packages/engine/src/audit/x.ts', `import '../recovery/reconcile.ts'`, 'no-restricted-imports'],
  [
    'packages/engine/src/value/x.ts',
    `import type { Engine } from '../context/engine.ts'\nexport type X = Engine`,
    'no-restricted-imports',
  ],
  ['packages/devnet/src/x.ts', `import '@svc/amm'`, 'no-restricted-imports'],
  ['packages/support-api/src/x.ts', `import '@svc/engine'`, 'no-restricted-imports'],
  ['packages/tool-server/src/x.ts', `console.log('to stdout')`, 'no-console'],
  ['packages/tool-server/src/x.ts', `export default 1`, 'no-default-export'],
])('%s may not hold: %s', (path, source, rule) => {
  expect(violations(path, source)).toContain(rule)
})

test.each([
  [tool, `import type { Chain } from '@svc/wallet/core'\nexport type X = Chain`],
  [tool, `import { readTool } from '../../tool.ts'\nexport const x = readTool`],
  [tool, `import { chainParam } from '../params.ts'\nexport const x = chainParam`],
  [amm, `import type { Chain } from '@svc/wallet/core'\nexport type X = Chain`],
  [engine, `import type { Pool } from '@svc/amm'\nexport type X = Pool`],
  [engine, `import { sign } from '../transactions/transact.ts'\nexport const x = sign`],
  ['packages/engine/src/recovery/x.ts', `import { settle } from '../stages/settle.ts'\nexport const x = settle`],
  [analysis, `import type { Store } from '@svc/store'\nexport type X = Store`],
  ['packages/store/src/x.ts', `import { makeDirectory } from '@svc/runtime'\nexport const x = makeDirectory`],
  ['packages/store/src/x.ts', `import type { Journal } from '@svc/wallet/core'\nexport type X = Journal`],
])('%s may hold: %s', (path, source) => {
  expect(violations(path, source)).toEqual([])
})

function violations(path: string, source: string): readonly string[] {
  const file = join(house, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${source}\n`)
  const oxlint = join(dirname(require.resolve('oxlint/package.json')), 'bin', 'oxlint')
  try {
    execFileSync(process.execPath, [oxlint, '--format', 'json', path], { cwd: house, encoding: 'utf8' })
    return []
  } catch (error) {
    const { diagnostics } = JSON.parse(Object(error).stdout) as { diagnostics: { code: string }[] }
    return diagnostics.map(({ code }) => /\((.+)\)/.exec(code)?.[1] ?? code)
  } finally {
    rmSync(file)
  }
}

test('the files that stand on each engine are all listed, so that PostgreSQL is tested with them', () => {
  const files = ['packages', 'test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    )
    .filter((file) => /^(?:packages\/[^/]+\/src|test)\/.*\.test\.ts$/.test(file) && !file.includes('node_modules'))
    .filter((file) => !file.endsWith('.system.test.ts'))
    .filter((file) => readFileSync(join(root, file), 'utf8').includes('engines.fixture'))
  expect(files.toSorted()).toEqual(onEachEngine)
})
