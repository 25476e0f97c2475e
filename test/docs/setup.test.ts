import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderSetup } from './render-setup.ts'

test('docs/setup.md says what the tables of the set-up say', async () => {
  await expect(renderSetup()).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/setup.md'))
})
