import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue, settings } from '@svc/tool-server'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { bundleManifest, serverJson } from '../../scripts/listing.mjs'

const root = join(import.meta.dirname, '../..')
const manifest = JSON.parse(readFileSync(join(root, 'packages/tool-server/package.json'), 'utf8')) as {
  version: string
}

const input = {
  name: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
  description: z.string().min(1),
  isSecret: z.boolean(),
  default: z.string().optional(),
}

/** What the registry's schema of 2025-12-11 and its rules of publishing ask of the members that are used. */
const registryEntry = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('npm'),
        identifier: z.string().regex(/^@svc\/[a-z-]+$/),
        version: z.literal(manifest.version),
        runtimeHint: z.literal('npx'),
        transport: z.strictObject({ type: z.literal('stdio') }),
        packageArguments: z.array(
          z.strictObject({ type: z.literal('named'), name: z.string().startsWith('--'), value: z.string() }),
        ),
        environmentVariables: z.array(z.strictObject(input)),
      }),
    )
    .length(1),
})

test('server.json is made of the manifest and the settings, and keeps to what the registry takes', async () => {
  const entry = registryEntry.parse(serverJson({ manifest, settings }))
  const secrets = entry.packages[0]?.environmentVariables.filter(({ isSecret }) => isSecret).map(({ name }) => name)
  expect(secrets).toEqual(['SVC_RPC_PROVIDER', 'RPC_API_KEY', 'SVC_MCP_SUBGRAPH_API_KEY'])
  await expect(`${JSON.stringify(entry, null, 2)}\n`).toMatchFileSnapshot(join(root, 'server.json'))
})

test('the manifest of the bundle lists each tool that reads, and asks for what the table of settings calls secret as such', () => {
  const made = bundleManifest({ manifest, settings, tools: catalogue }) as {
    tools: { name: string }[]
    user_config: Record<string, { sensitive: boolean; default: string }>
    server: { mcp_config: { env: Record<string, string> } }
  }
  const reads = catalogue.filter(({ inDataProfile }) => inDataProfile).map(({ name }) => name)
  expect(made.tools.map(({ name }) => name)).toEqual(reads.toSorted())
  const given = Object.entries(made.server.mcp_config.env).map(([name, value]) => {
    const asked = made.user_config[name.toLowerCase()]
    return [name, value, asked?.sensitive ?? null]
  })
  const expected = given.map(([name]) => {
    const row = settings.find((one) => one.name === name)
    return name === 'SVC_MCP_PROFILE'
      ? [name, 'data', null]
      : [name, `\${user_config.${String(name).toLowerCase()}}`, row?.secret]
  })
  expect(given).toEqual(expected)
})
