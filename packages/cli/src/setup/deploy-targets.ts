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
    files: (place) => ({ Dockerfile: dockerfile, 'compose.yaml': compose(place) }),
    command: ({ place }) => `docker compose -f ${place}/deploy/compose.yaml up --build --detach`,
    healthUrl: 'http://127.0.0.1:3000/healthz',
  },
  fly: {
    title: 'fly.io: 256 MB, suspended while nobody calls',
    files: () => ({ Dockerfile: dockerfile, 'fly.toml': fly }),
    command: ({ place }) =>
      `fly launch --no-deploy --copy-config --config ${place}/deploy/fly.toml && fly secrets import < ${place}/.env && fly deploy --config ${place}/deploy/fly.toml`,
  },
  render: {
    title: 'Render: sleeps while nobody calls',
    files: () => ({ Dockerfile: dockerfile, 'render.yaml': render }),
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

type DeployPlace = {
  readonly dataDir: string
  /** The same as a word of a shell. */
  readonly place: string
  /** Where the image is built from. */
  readonly clone: string
  /** Whose the data directory is, `uid:gid`; `null` where the system has no such. */
  readonly user: string | null
}

/** Beyond the machine TLS ends at the platform, whose addresses are private ones. */
const dockerfile = `# Built from the root of a clone.
FROM node:20-bookworm-slim
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund && npm run build && install -d -o node -m 700 /data
USER node
ENV NODE_ENV=production SVC_DATA_DIR=/data SVC_LISTEN=0.0.0.0:3000
EXPOSE 3000
# One process that ends in good order on SIGTERM.
ENTRYPOINT ["node", "packages/cli/bin/svc.js", "serve", "--transport", "http"]
`

function compose({ dataDir, clone, user }: DeployPlace): string {
  // The directory is closed to all others.
  const owner = user === null ? '' : `    user: ${JSON.stringify(user)}\n`
  return `services:
  svc:
    build: { context: ${JSON.stringify(clone)}, dockerfile: ${JSON.stringify(`${dataDir}/deploy/Dockerfile`)} }
    environment: { SVC_TRUSTED_PROXIES: 172.16.0.0/12 }
${owner}    volumes: [${JSON.stringify(`${dataDir}:/data`)}]
    ports: ["127.0.0.1:3000:3000"]
    read_only: true
    tmpfs: [/tmp]
    cap_drop: [ALL]
    security_opt: [no-new-privileges:true]
    ulimits: { core: 0 }
    mem_limit: 256m
    restart: unless-stopped
`
}

const fly = `app = "svc"
primary_region = "ams"

[build]
  dockerfile = "Dockerfile"

[env]
  SVC_TRUSTED_PROXIES = "172.16.0.0/12,fdaa::/16"

[http_service]
  internal_port = 3000
  force_https = true
  auto_stop_machines = "suspend"
  auto_start_machines = true
  min_machines_running = 0

[[vm]]
  memory = "256mb"
  cpu_kind = "shared"
  cpus = 1

[mounts]
  source = "svc_data"
  destination = "/data"
`

const render = `services:
  - type: web
    name: svc
    runtime: docker
    dockerfilePath: ./Dockerfile
    plan: starter
    healthCheckPath: /healthz
    envVars:
      - { key: SVC_TRUSTED_PROXIES, value: 10.0.0.0/8 }
      - { key: SVC_LISTEN, value: 0.0.0.0:3000 }
    disk: { name: svc-data, mountPath: /data, sizeGB: 1 }
`
