import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('the committed bytecode is what the compiler makes of our sources', () => {
  const script = fileURLToPath(new URL('../scripts/compile-contracts.mjs', import.meta.url))
  expect(() => execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' })).not.toThrow()
}, 180_000)
