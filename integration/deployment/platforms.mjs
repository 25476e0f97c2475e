// What fly.io and Render document of their files, as far as ours use it; everything else is refused, so that a slip in a name is seen.
// https://fly.io/docs/reference/configuration/ and https://render.com/docs/blueprint-spec
import * as z from 'zod'

const duration = z.string().regex(/^\d+(?:ms|s|m|h)$/)
const port = z.int().min(1).max(65_535)
/** Neither platform has a port or a number in the environment: each value is text. */
const environment = z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string())

export const flyToml = z.strictObject({
  app: z.string().regex(/^[a-z0-9-]{1,63}$/),
  primary_region: z.string().length(3),
  kill_signal: z.enum(['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGKILL', 'SIGSTOP']),
  // At most five minutes.
  kill_timeout: duration,
  build: z.strictObject({ dockerfile: z.string(), args: environment }),
  env: environment,
  http_service: z.strictObject({
    internal_port: port,
    force_https: z.boolean(),
    auto_stop_machines: z.enum(['off', 'stop', 'suspend']),
    auto_start_machines: z.boolean(),
    min_machines_running: z.int().min(0),
  }),
  checks: z.record(
    z.string(),
    z.strictObject({
      type: z.literal('tcp'),
      port,
      interval: duration,
      timeout: duration,
      grace_period: duration,
    }),
  ),
  // A machine that is suspended has at most 2 GB and no swap.
  vm: z.array(
    z.strictObject({
      memory: z.string().regex(/^(?:256|512|1024|2048)mb$/),
      cpu_kind: z.enum(['shared', 'performance']),
      cpus: z.union([z.literal(1), z.literal(2), z.literal(4), z.literal(8)]),
    }),
  ),
  mounts: z.strictObject({ source: z.string().regex(/^[a-z0-9_]{1,30}$/), destination: z.string().startsWith('/') }),
})

const variable = z.union([
  z.strictObject({ key: z.string(), value: z.string() }),
  z.strictObject({ key: z.string(), sync: z.literal(false) }),
])

const service = z.strictObject({
  type: z.literal('web'),
  name: z.string(),
  runtime: z.enum(['docker', 'image', 'node']),
  dockerfilePath: z.string().startsWith('./'),
  dockerContext: z.string(),
  plan: z.enum(['free', 'starter', 'standard', 'pro', 'pro plus', 'pro max', 'pro ultra']),
  healthCheckPath: z.string().startsWith('/'),
  envVars: z.array(variable),
  disk: z.strictObject({ name: z.string(), mountPath: z.string().startsWith('/'), sizeGB: z.int().min(1) }).optional(),
})

export const renderYaml = z.strictObject({
  services: z.array(
    service.refine(({ plan, disk }) => plan !== 'free' || disk === undefined, 'the free plan has no disk'),
  ),
})
