/**
 * What everything that runs the image of the tool server has to know of it. A test holds the files of `deploy/tool-server` to it, and it to
 * the Dockerfile.
 */
export const imageFacts = {
  dockerfile: 'deploy/tool-server/Dockerfile',
  httpPort: 3000,
  metricsPort: 9464,
  healthPath: '/healthz',
  healthCommand: '/app/healthy',
  dataDir: '/data',
  /** Of user and group. */
  runsAs: 1000,
  /** Swap is not counted on. */
  memoryMb: 256,
  /** Longer than a server takes to end, whatever hangs. */
  stopSeconds: 30,
} as const

const { dockerfile, httpPort, healthPath, dataDir: mounted, memoryMb, stopSeconds } = imageFacts

/** Where a server is to run, and from what. */
type DeployPlace = {
  readonly dataDir: string
  /** The same as a word of a shell. */
  readonly place: string
  /** Where the image is built from. */
  readonly clone: string
  /** Whose the data directory is, `uid:gid`; `null` where the system has no such. */
  readonly user: string | null
}

/** On this machine's own loopback, where keys may travel without TLS; nothing of it is published. */
export function composeFile({ dataDir, clone, user }: DeployPlace): string {
  // The directory is closed to all others.
  const owner = user === null ? '' : `    user: ${JSON.stringify(user)}\n`
  return `services:
  svc:
    build: { context: ${JSON.stringify(clone)}, dockerfile: ${JSON.stringify(dockerfile)} }
    network_mode: host
    environment: { SVC_LISTEN: "127.0.0.1:${httpPort}" }
${owner}    volumes: [${JSON.stringify(`${dataDir}:${mounted}`)}]
    read_only: true
    tmpfs: [/tmp]
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    ulimits: { core: 0 }
    mem_limit: ${memoryMb}m
    memswap_limit: ${memoryMb}m
    stop_grace_period: ${stopSeconds}s
    restart: unless-stopped
`
}

/** A machine that the proxy suspends once no request has come for some minutes, and wakes with the next. */
export function flyFile({ clone }: Pick<DeployPlace, 'clone'>): string {
  return `# CHANGE: the name of the app, here and in SVC_PUBLIC_URL.
app = "svc"
primary_region = "ams"
kill_signal = "SIGTERM"
kill_timeout = "${stopSeconds}s"

[build]
  dockerfile = ${JSON.stringify(`${clone}/${dockerfile}`)}

# A volume is mounted as root's; the image hands it over, and gives root up.
[build.args]
  RUN_AS = "0"

[env]
  SVC_PUBLIC_URL = "https://svc.fly.dev/mcp"
  SVC_TRUSTED_PROXIES = "172.16.0.0/12,fdaa::/16"
  # Set by the proxy there; the last public address of X-Forwarded-For is the app's own.
  SVC_CLIENT_ADDRESS_HEADER = "Fly-Client-IP"

[http_service]
  internal_port = ${httpPort}
  force_https = true
  auto_stop_machines = "suspend"
  auto_start_machines = true
  min_machines_running = 0

# By the machine's host and not through the proxy, so it counts as no request; a suspended machine is not asked.
[checks.alive]
  type = "tcp"
  port = ${httpPort}
  interval = "30s"
  timeout = "4s"
  grace_period = "20s"

[[vm]]
  memory = "${memoryMb}mb"
  cpu_kind = "shared"
  cpus = 1

[mounts]
  source = "svc_data"
  destination = "${mounted}"
`
}

/**
 * With a wallet a disk is needed, and whoever has a disk there is never put to sleep. What only reads needs none: the free plan sleeps while no
 * request comes, and starts anew with the next.
 */
export function renderFile({ wallet }: { readonly wallet: boolean }): string {
  const secrets = (wallet ? [...apiKeys, ...ofWallet] : ofReader).map((name) => `      - { key: ${name}, sync: false }`)
  const place = wallet ? `    disk: { name: svc-data, mountPath: ${mounted}, sizeGB: 1 }\n` : ''
  const values = {
    PORT: `"${httpPort}"`,
    ...(wallet && { RUN_AS: '"0"', WALLET_TYPE: 'managed' }),
    SVC_MCP_PROFILE: wallet ? 'full' : 'data',
    SVC_PUBLIC_URL: 'https://svc.onrender.com/mcp',
    SVC_TRUSTED_PROXIES: '10.0.0.0/8',
    // Set by the network in front of Render, whose own address is the last public one of X-Forwarded-For.
    SVC_CLIENT_ADDRESS_HEADER: 'CF-Connecting-IP',
  }
  const plain = Object.entries(values).map(([name, value]) => `      - { key: ${name}, value: ${value} }`)
  return `# CHANGE: the host in SVC_PUBLIC_URL is the name that the service gets. What says "sync: false" is asked for, and may stay empty.
services:
  - type: web
    name: svc
    runtime: docker
    dockerfilePath: ./${dockerfile}
    dockerContext: .
    plan: ${wallet ? 'starter' : 'free'}
    healthCheckPath: ${healthPath}
    envVars:
${[...plain, ...secrets].join('\n')}
${place}`
}

const apiKeys = ['SVC_API_KEY_READ', 'SVC_API_KEY_FEEDBACK', 'SVC_API_KEY_WRITE'] as const
const endpoints = ['SVC_RPC_PROVIDER', 'RPC_API_KEY'] as const
const ofWallet = ['WALLET_APP_ID', 'WALLET_APP_SECRET', 'WALLET_ID', 'WALLET_AUTH_PRIVATE_KEY', ...endpoints] as const
const ofReader = ['SVC_API_KEY_READ', ...endpoints, 'SVC_DATABASE_URL'] as const

/**
 * Where a server of production can run. A container is started from here; what others start gets its files, and the command that does it is printed.
 */
export const deployTargets = {
  local: {
    title: 'This machine, under your own supervisor',
    files: () => ({}),
    command: ({ place }) => `svc serve --transport http --data-dir ${place}`,
  },
  container: {
    title: 'A container on this machine',
    files: (place) => ({ 'compose.yaml': composeFile(place) }),
    command: ({ place }) => `docker compose -f ${place}/deploy/compose.yaml up --build --detach`,
    healthUrl: `http://127.0.0.1:${imageFacts.httpPort}${imageFacts.healthPath}`,
  },
  fly: {
    title: 'fly.io: 256 MB, suspended while nobody calls',
    files: (place) => ({ 'fly.toml': flyFile(place) }),
    command: ({ place }) =>
      `fly launch --no-deploy --copy-config --config ${place}/deploy/fly.toml && fly secrets import < ${place}/.env && fly deploy --config ${place}/deploy/fly.toml`,
  },
  render: {
    title: 'Render: with a disk, so that it never sleeps',
    files: () => ({ 'render.yaml': renderFile({ wallet: true }) }),
    command: ({ place }) => `cp ${place}/deploy/render.yaml . && render blueprints launch`,
  },
} as const satisfies Readonly<Record<string, DeployTarget>>

export type DeployTargetName = keyof typeof deployTargets

export type DeployTarget = {
  readonly title: string
  /** By name, for the folder `deploy` of the data directory; none holds a secret. */
  readonly files: (place: DeployPlace) => Readonly<Record<string, string>>
  readonly command: (place: DeployPlace) => string
  /** Where it answers once it was started from here; absent where somebody else starts it. */
  readonly healthUrl?: string
}
