import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiSettings } from '@svc/support-api'
import { readConfig, settings } from '@svc/tool-server'
import { describe, expect, test } from 'vitest'
import { composeFile, flyFile, renderFile, imageFacts } from '../packages/cli/src/setup/deploy-files.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'deploy/tool-server')
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

const place = { dataDir: '/srv/svc', place: '/srv/svc', clone: '/srv/clone', user: '1000:1000' }
const files: readonly (readonly [name: string, text: string])[] = [
  ...['Dockerfile', 'compose.yaml', 'kubernetes.yaml', 'fly.toml', 'render.yaml', 'start', 'Caddyfile'].map(
    (file) => [file, read(file)] as const,
  ),
  ['compose.yaml of a set-up', composeFile(place)],
  ['fly.toml of a set-up', flyFile(place)],
  ['render.yaml of a set-up', renderFile({ wallet: true })],
]
const patternOf = ({ name }: { readonly name: string }) => new RegExp(`^${name.replace('<chainId>', '\\d+')}$`)
const ours = settings.map(patternOf)
const ofSupportApi = apiSettings.map(patternOf)
/** What compose itself reads, beside what it hands on. */
const ofTheOperator = new Set(['SVC_HOST'])

test.each(files)('%s names only settings that the server reads', (file, text) => {
  const named = [
    ...text.matchAll(/\b(?:SVC_[A-Z0-9_]+|WALLET_[A-Z0-9_]+|RPC_API_KEY|NODE_ENV|LOG_LEVEL|MCP_AUTH_TOKEN)\b/g),
  ]
  expect(named.length).toBeGreaterThan(0)
  const known = file === 'compose.yaml' ? [...ours, ...ofSupportApi] : ours
  const unknown = named.flatMap(([name]) =>
    known.some((pattern) => pattern.test(name)) || ofTheOperator.has(name) ? [] : [name],
  )
  expect(unknown).toEqual([])
})

test.each(files)('%s holds no secret', (_file, text) => {
  expect(text).not.toMatch(/0x[0-9a-f]{64}|svc_(?:read|feedback|write)_/i)
  for (const { name } of settings.filter(({ secret }) => secret)) {
    const given = new RegExp(
      `\\b${name.replace('<chainId>', '\\d+')}(?:: |=|, value: |\\n\\s+value: )(?!\\.\\.\\.|\\$\\{|postgres://\\w+@database:5432/)\\S`,
    )
    expect(text).not.toMatch(given)
  }
})

describe('what the image is', () => {
  const dockerfile = read('Dockerfile')
  const { httpPort, metricsPort, healthCommand, dataDir, runsAs, memoryMb, stopSeconds } = imageFacts

  test('stands in the Dockerfile', () => {
    expect(dockerfile).toContain(`EXPOSE ${httpPort}\n`)
    expect(dockerfile).toContain(`ENV NODE_ENV=production SVC_DATA_DIR=${dataDir}\n`)
    expect(read('start')).toContain(`\${SVC_LISTEN:-0.0.0.0:${httpPort}}`)
    expect(dockerfile).toContain(`CMD ["${healthCommand}"]\n`)
    expect(dockerfile).toContain(`ARG RUN_AS=${runsAs}:${runsAs}\nUSER \${RUN_AS}\n`)
    expect(read('healthy')).toContain(`\${SVC_LISTEN:-0.0.0.0:${httpPort}}`)
    expect(dockerfile).toContain('ln -s /app/bin/svc /usr/local/bin/svc\n')
    expect(read('healthy')).toContain(`GET ${imageFacts.healthPath} HTTP/1.1`)
    expect(read('start')).toContain(`--reuid=${runsAs} --regid=${runsAs} --clear-groups --no-new-privs`)
  })

  test('is the same in everything that runs it', () => {
    const [compose, kubernetes, fly] = [read('compose.yaml'), read('kubernetes.yaml'), read('fly.toml')]
    const count = (text: string, words: string) => text.split(words).length - 1
    expect(count(compose, `mem_limit: ${memoryMb}m\n    memswap_limit: ${memoryMb}m\n`)).toBe(2)
    expect(count(compose, `stop_grace_period: ${stopSeconds}s\n`)).toBe(3)
    expect(count(compose, 'ulimits:\n      core: 0\n')).toBe(2)
    expect(count(compose, 'read_only: true\n')).toBe(3)
    expect(compose).toContain(`test: ['CMD', '${healthCommand}']`)
    expect(compose).toContain(`data:${dataDir}\n`)
    expect(compose).toContain(`SVC_METRICS_LISTEN: 127.0.0.1:${metricsPort}\n`)
    expect(read('prometheus.yml')).toContain(`['127.0.0.1:${metricsPort}']`)
    expect(read('Caddyfile')).toContain(`reverse_proxy svc:${httpPort}\n`)
    expect(count(kubernetes, `containerPort: ${httpPort}\n`)).toBe(2)
    expect(count(kubernetes, `value: 0.0.0.0:${httpPort}\n`)).toBe(2)
    expect(count(kubernetes, `command: ['${healthCommand}']\n`)).toBe(6)
    expect(count(kubernetes, `memory: ${memoryMb}Mi\n`)).toBe(4)
    expect(count(kubernetes, `terminationGracePeriodSeconds: ${stopSeconds}\n`)).toBe(2)
    expect(count(kubernetes, `runAsUser: ${runsAs}\n`)).toBe(2)
    expect(count(kubernetes, 'readOnlyRootFilesystem: true\n')).toBe(2)
    expect(fly).toContain(`memory = "${memoryMb}mb"\n`)
    expect(fly).toContain('auto_stop_machines = "suspend"\n')
    expect(read('render.yaml')).toContain('    plan: free\n')
  })
})

test('what the Kubernetes manifest gives is a configuration that the server starts with', () => {
  const [reader = '', signer = ''] = read('kubernetes.yaml').split('kind: StatefulSet')
  for (const [text, profile, more] of [
    [reader, 'data', {}],
    [signer, 'full', wallet],
  ] as const) {
    const given = [...text.matchAll(/- name: (SVC_\w+)\n\s+value: (\S+)/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ])
    const config = readConfig({ NODE_ENV: 'production', ...Object.fromEntries(given), ...more })
    expect(config).toMatchObject({ production: true, profile, listen: { host: '0.0.0.0', port: imageFacts.httpPort } })
    expect(config.warnings).toEqual([])
  }
})

test('what compose, fly.io and Render give is one, too', () => {
  const compose =
    read('compose.yaml')
      .split(/\n {2}svc:\n/)[1]
      ?.split(/\n {2}stdio:\n/)[0] ?? ''
  const named = [...compose.matchAll(/^ {6}(SVC_\w+): (\S+)$/gm)].map(([, name = '', value = '']) => [
    name,
    value.replace('${SVC_HOST:?}', 'svc.example'),
  ])
  const fly = [...read('fly.toml').matchAll(/^ {2}(SVC_\w+) = "(.*)"$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  const render = [...renderFile({ wallet: true }).matchAll(/key: (\w+), value: (\S+) \}/g)].map(
    ([, name = '', value = '']) => [name, value.replaceAll('"', '')],
  )
  const image = { NODE_ENV: 'production', SVC_DATA_DIR: '/nowhere', SVC_LISTEN: `0.0.0.0:${imageFacts.httpPort}` }
  for (const [given, more] of [
    [named, {}],
    [fly, {}],
    [render, wallet],
  ] as const) {
    expect(given.length).toBeGreaterThan(1)
    const config = readConfig({ ...image, ...Object.fromEntries(given), ...more })
    expect(config).toMatchObject({ listen: { host: '0.0.0.0' }, publicUrl: expect.stringMatching(/^https:/) })
    expect(config.warnings).toEqual([])
  }
})

const wallet = {
  WALLET_TYPE: 'managed',
  WALLET_APP_ID: 'app',
  WALLET_APP_SECRET: 'secret',
  WALLET_ID: 'wallet',
  WALLET_AUTH_PRIVATE_KEY: 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg',
}

test('on Kubernetes what only reads is given the key to read, and neither another one nor the wallet', () => {
  const manifest = read('kubernetes.yaml')
  const secretsOf = (text: string) => [...text.matchAll(/secretRef:\n\s+name: (\S+)/g)].map(([, name]) => name)
  const [reader = '', signer = ''] = manifest.split('kind: StatefulSet')
  expect([secretsOf(reader), secretsOf(signer)]).toEqual([['svc-read'], ['svc', 'svc-wallet']])
  const commands = manifest.replaceAll('\\\n#', '').matchAll(/create secret generic (\S+) (.*)/g)
  const made = new Map([...commands].map(([, name = '', words = '']) => [name, words]))
  const keysIn = (name: string) => [...(made.get(name) ?? '').matchAll(/SVC_API_KEY_(\w+)=/g)].map(([, tier]) => tier)
  expect([keysIn('svc-read'), keysIn('svc')]).toEqual([['READ'], ['READ', 'FEEDBACK', 'WRITE']])
  expect(made.get('svc-read')).not.toContain('WALLET_')
  expect(renderFile({ wallet: false }).match(/SVC_API_KEY_\w+/g)).toEqual(['SVC_API_KEY_READ'])
})

test('fly.io and Render name callers in a field that their edge writes itself', () => {
  expect(read('fly.toml')).toContain('SVC_CLIENT_ADDRESS_HEADER = "Fly-Client-IP"\n')
  for (const wallet of [true, false])
    expect(renderFile({ wallet })).toContain('{ key: SVC_CLIENT_ADDRESS_HEADER, value: CF-Connecting-IP }\n')
})

test('in compose each service signs in to the database as itself, and none is told the password of the superuser', () => {
  const [listed = ''] = read('compose.yaml').split('\nvolumes:\n')
  const texts = listed.split(/\n {2}(?=[a-z-]+:\n)/).slice(1)
  const services = Object.fromEntries(texts.map((text) => [text.split(':', 1)[0], text]))
  expect(services['database']).toContain('POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?}\n')
  const told = (name: string) => services[name]?.match(/(?:postgres:\/\/\w+@\S+|PGPASSWORD: .*)/g)
  expect(told('svc')).toEqual(['postgres://svc@database:5432/svc', 'PGPASSWORD: ${TOOL_SERVER_DB_PASSWORD:?}'])
  expect(told('support-api')).toEqual([
    'postgres://support_api@database:5432/support_api',
    'PGPASSWORD: ${SUPPORT_API_DB_PASSWORD:?}',
  ])
  const others = Object.entries(services).filter(([name]) => name !== 'database')
  expect(others.map(([, text]) => text).join('\n')).not.toMatch(/\bPOSTGRES_PASSWORD|POSTGRES_USER/)
})

test('every image that is built on or run names its whole version', () => {
  for (const folder of ['tool-server', 'support-api']) {
    const texts = ['Dockerfile', 'compose.yaml'].map((file) => readFileSync(join(root, 'deploy', folder, file), 'utf8'))
    const images = texts.flatMap((text) =>
      [...text.matchAll(/^(?:FROM| +image:) (\S+)/gm)].map(([, image = '']) => image),
    )
    expect(images.length).toBeGreaterThan(3)
    for (const image of images) expect(image).toMatch(/^(?:postgres:\d+\.\d+|[\w/]+:v?\d+\.\d+\.\d+(?:-[\w-]+)?)$/)
  }
})

test('an image is made of the sources alone', () => {
  const left = read('Dockerfile.dockerignore').split('\n')
  for (const line of ['.git', '**/.env*', '**/node_modules', '**/dist', '**/*.tsbuildinfo'])
    expect(left).toContain(line)
})

test('the address that is trusted as the edge is given to nobody else', () => {
  const compose = read('compose.yaml')
  expect(compose).toMatch(/ipv4_address: 172\.30\.1\.2$/m)
  expect(compose).toMatch(/ip_range: 172\.30\.1\.128\/25$/m)
  expect(compose.match(/SVC_TRUSTED_PROXIES: (\S+)/g)).toEqual(
    Array.from({ length: 2 }, () => 'SVC_TRUSTED_PROXIES: 172.30.1.2'),
  )
})
