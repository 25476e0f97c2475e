import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { catalogue } from '@svc/tool-server'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'svc-mcpb-test-'))
const pack = (file: string) =>
  execFileSync(process.execPath, [join(root, 'scripts/mcpb.mjs'), join(folder, file)], { encoding: 'utf8' }).trim()

let printed: string
beforeAll(() => {
  printed = pack('svc.mcpb')
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(join(folder, 'svc.mcpb'))))) {
    mkdirSync(dirname(join(folder, 'in', name)), { recursive: true })
    writeFileSync(join(folder, 'in', name), bytes)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Manifest = {
  readonly tools: readonly { readonly name: string }[]
  readonly server: { readonly mcp_config: Config }
  readonly user_config: Readonly<Record<string, { readonly default: string }>>
}
type Config = { readonly command: string; readonly args: string[]; readonly env: Record<string, string> }

/** As a client fills it in whose user has changed nothing. */
function filledIn({ server, user_config: asked }: Manifest): Config {
  const value = (text: string) =>
    text
      .replaceAll('${__dirname}', join(folder, 'in'))
      .replaceAll(/\$\{user_config\.(\w+)\}/g, (_all, name: string) => asked[name]?.default ?? '')
      .replaceAll('${HOME}', folder)
  const { command, args, env } = server.mcp_config
  const filled = Object.entries(env).map(([name, text]) => [name, value(text)])
  return { command, args: args.map(value), env: Object.fromEntries(filled) as Record<string, string> }
}

test('what stands in the bundle starts as its manifest says, and lists the tools that the manifest lists', async () => {
  const manifest = JSON.parse(readFileSync(join(folder, 'in/manifest.json'), 'utf8')) as Manifest
  const { command, args, env } = filledIn(manifest)
  const { PATH = '' } = process.env
  const transport = new StdioClientTransport({ command, args, env: { PATH, ...env }, cwd: folder, stderr: 'ignore' })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  try {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual(manifest.tools.map(({ name }) => name))
    expect(tools).toHaveLength(catalogue.filter(({ inDataProfile }) => inDataProfile).length)
    const health = await client.callTool({ name: 'list_supported_chains', arguments: {} })
    expect(health.isError ?? false).toBe(false)
  } finally {
    await client.close()
  }
})

test('it is the same to the byte when it is packed again, and the hash that is printed is its own', () => {
  const [file, sha256] = printed.split(' ')
  expect(file).toBe(join(folder, 'svc.mcpb'))
  expect(pack('again.mcpb').split(' ')[1]).toBe(sha256)
  expect(readFileSync(join(folder, 'again.mcpb')).equals(readFileSync(join(folder, 'svc.mcpb')))).toBe(true)
})

test('the licences of what is bundled of others go along, with the texts that they ask for', () => {
  const text = readFileSync(join(folder, 'in/server/svc-server/THIRD-PARTY.txt'), 'utf8')
  const titles = [...text.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \(([^)]+)\)$/gm)].map(([, name]) => name)
  expect(titles).toEqual(expect.arrayContaining(['@modelcontextprotocol/server', 'echarts', 'viem', 'zod']))
  expect(titles.filter((name) => name?.startsWith('@svc/'))).toEqual([])
  for (const words of ['Permission is hereby granted', 'Apache License', 'Apache ECharts'])
    expect(text).toContain(words)
})
