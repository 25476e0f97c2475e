import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// The compiler takes long, so the gate alone runs it (npm run check). In the stamp is whatever it would answer differently to,
// the program that runs it included.
test('the committed bytecode is what was made of our sources', () => {
  const script = fileURLToPath(new URL('../scripts/compile-contracts.mjs', import.meta.url))
  expect(() => execFileSync(process.execPath, [script, '--check-stamp'], { stdio: 'pipe' })).not.toThrow()
})
