import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEdgeServer } from '@svc/tool-server/edge'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../deploy/edge')
const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'))

test('what deploy/edge gives, and the secrets that it asks for, are a configuration that an edge starts with', () => {
  const { vars, secrets, ...platform } = read('wrangler.json') as {
    readonly vars: Readonly<Record<string, string>>
    readonly secrets: { readonly required: readonly string[] }
  }
  const given = {
    SVC_API_KEY_READ: `svc_read_${'Ab3_'.repeat(11).slice(0, 43)}`,
    SVC_RPC_URL_8453: 'https://one.example',
  }
  expect(secrets.required).toEqual(Object.keys(given))
  const written: string[] = []
  const write = (line: string) => void written.push(line)
  createEdgeServer({ env: { ...vars, ...given }, chains: read('chains.json'), policy: read('policy.json'), write })
  expect(written, 'no warning').toEqual([])
  expect(platform).toMatchObject({
    main: 'worker.mjs',
    compatibility_flags: ['nodejs_compat'],
    limits: { cpu_ms: 30_000 },
  })
})
