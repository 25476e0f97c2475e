import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// The compiler takes long, so the gate alone runs it (npm run check); whatever it would answer differently to is in the stamp.
test('the committed bytecode is what was made of our sources', () => {
  const script = fileURLToPath(new URL('../scripts/compile-contracts.mjs', import.meta.url))
  expect(() => execFileSync(process.execPath, [script, '--check-stamp'], { stdio: 'pipe' })).not.toThrow()
})
