import { join } from 'node:path'
import { catalogue } from '@svc/tool-server'
import { expect, test } from 'vitest'
import { renderAccess } from './render-access.ts'

test('docs/access.md says what the server decides with', async () => {
  const page = join(import.meta.dirname, '../../docs/access.md')
  await expect(await renderAccess(catalogue)).toMatchFileSnapshot(page)
})
