import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiSettings, readConfig } from '@svc/support-api'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const files = ['compose.yaml', 'kubernetes.yaml', 'Dockerfile', 'Caddyfile']
const patterns = apiSettings.map(({ name }) => new RegExp(`^${name.replace('<chainId>', '\\d+')}$`))

test.each(files)('deploy/support-api/%s names only settings that the service reads', (file) => {
  const text = read(`deploy/support-api/${file}`)
  const named = [...text.matchAll(/\b(?:SVC_[A-Z0-9_]+|NODE_ENV|LOG_LEVEL)\b/g)].map(([name]) => name)
  expect(named.filter((name) => !patterns.some((pattern) => pattern.test(name)))).toEqual([])
})

test.each(['compose.yaml', 'kubernetes.yaml'])(
  'deploy/support-api/%s holds no secret and gives what is required',
  (file) => {
    const text = read(`deploy/support-api/${file}`)
    for (const name of ['SVC_IDENTITY_PROVIDER_URL', 'SVC_TRUSTED_PROXIES', 'SVC_DATABASE_URL', 'SVC_ALLOWED_HOSTS']) {
      expect(text).toMatch(new RegExp(`\\b${name}\\b`))
    }
    expect(text).not.toMatch(/\t|0x[0-9a-f]{64}/i)
    for (const { name } of apiSettings.filter(({ secret }) => secret)) {
      const given = new RegExp(
        `${name.replace('<chainId>', '\\d+')}(: |\\n\\s+value: )(?!.*\\$\\{|postgres://support_api@database:5432/support_api$)\\S`,
        'm',
      )
      expect(text).not.toMatch(given)
    }
  },
)

test('what the Kubernetes manifest gives is a configuration that the service starts with', () => {
  const given = [
    ...read('deploy/support-api/kubernetes.yaml').matchAll(/- name: (SVC_\w+)\n\s+value(?:: (\S+)|From:)/g),
  ]
  const secrets: Readonly<Record<string, string>> = {
    SVC_DATABASE_URL: 'postgres://svc@database/svc',
    SVC_FAUCET_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
    SVC_RPC_URL_11155111: 'https://one.example',
    SVC_RPC_URL_84532: 'https://two.example',
  }
  const environment = Object.fromEntries(given.map(([, name = '', value]) => [name, value ?? secrets[name]]))
  const config = readConfig({ NODE_ENV: 'production', ...environment })
  expect(config.faucet?.chains.map(({ chain }) => chain.id)).toEqual([11155111, 84532])
  expect(config).toMatchObject({ production: true, listen: { host: '0.0.0.0', port: 8080 } })
})

test('the address that is trusted as the edge is given to nobody else', () => {
  const compose = read('deploy/support-api/compose.yaml')
  const numberOf = (ip = '') => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const rangeOf = (key: string) => {
    const [, ip, bits] = new RegExp(`${key}: ([\\d.]+)/(\\d+)`).exec(compose) ?? []
    return { first: numberOf(ip), past: numberOf(ip) + 2 ** (32 - Number(bits)) }
  }
  const edge = numberOf(/ipv4_address: ([\d.]+)/.exec(compose)?.[1])
  const [subnet, given] = [rangeOf('subnet'), rangeOf('ip_range')]
  expect(compose).toMatch(/SVC_TRUSTED_PROXIES: 172\.30\.0\.2$/m)
  expect(edge).toBe(numberOf('172.30.0.2'))
  expect(subnet.first <= given.first && given.past <= subnet.past && given.past > given.first).toBe(true)
  expect(subnet.first < edge && edge < given.first).toBe(true)
})

test('what limits the service may be set where compose is used', () => {
  const limits = apiSettings.map(({ name }) => name).filter((name) => /_PER_|_CEILING$|_PAGE_|_CHAINS$/.test(name))
  const compose = read('deploy/support-api/compose.yaml')
  expect(limits.filter((name) => !compose.includes(`${name}: \${${name}:-}`))).toEqual([])
})

test('the ingress lets through every route but the probes', () => {
  const source = join(root, 'packages/support-api/src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  const texts = files.filter((name) => !/\.test\./.test(name)).map((name) => readFileSync(join(source, name), 'utf8'))
  const pathsOf = (text: string) => [...text.matchAll(/path: '(\/[^']*)'/g)].map(([, path = '']) => path)
  const ingress = read('deploy/support-api/kubernetes.yaml').split('kind: Ingress')[1] ?? ''
  const rules = [...ingress.matchAll(/path: (\S+)\n\s+pathType: (\w+)/g)]
  const passes = (asked: string) =>
    rules.some(([, path = '', type]) => asked === path || (type === 'Prefix' && asked.startsWith(`${path}/`)))
  const probes = texts.filter((text) => text.includes('isProbe: true')).flatMap(pathsOf)
  expect(probes.toSorted()).toEqual(['/healthz', '/metrics', '/readyz'])
  expect(probes.filter(passes)).toEqual([])
  const routes = new Set(texts.flatMap(pathsOf).filter((path) => !probes.includes(path)))
  expect(routes.size).toBeGreaterThan(6)
  expect([...routes].filter((path) => !passes(path))).toEqual([])
})

test('in compose it signs in to the database as itself, and is not told the password of the superuser', () => {
  const [database = '', api = ''] = read('deploy/support-api/compose.yaml').split(/\n {2}api:\n/)
  expect(database).toContain('POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?}\n')
  expect(api).toContain('PGPASSWORD: ${SUPPORT_API_DB_PASSWORD:?}\n')
  expect(api).not.toContain('POSTGRES_PASSWORD')
})

test('an image is made of the sources alone', () => {
  const left = read('deploy/support-api/Dockerfile.dockerignore').split('\n')
  for (const line of ['.git', '**/.env*', '**/node_modules', '**/dist', '**/*.tsbuildinfo'])
    expect(left).toContain(line)
})

test('every probe asks a route of the service', () => {
  const routes = ['app', 'routes/probes'].map((name) => read(`packages/support-api/src/${name}.ts`))
  const paths = routes.map((text) => /path: '(\/[a-z]+z)'/.exec(text)?.[1])
  const probed = [...read('deploy/support-api/kubernetes.yaml').matchAll(/^\s+path: (\S+)/gm)].map(([, path]) => path)
  expect(probed).toHaveLength(3)
  for (const path of probed) expect(paths).toContain(path)
  expect(read('deploy/support-api/compose.yaml')).toContain(`127.0.0.1:8080${paths[1]}'`)
})

test('the image runs the program that the package names, as another user than root', () => {
  const dockerfile = read('deploy/support-api/Dockerfile')
  const { bin } = JSON.parse(read('packages/support-api/package.json')) as { bin: Record<string, string> }
  expect(dockerfile).toContain(join('packages/support-api', bin['svc-support-api'] ?? '-'))
  expect(dockerfile).toMatch(/^USER node$/m)
})
