import { composeFile, type DeployPlace, flyFile, renderFile } from './deploy-files.ts'
import { imageFacts } from './image-facts.ts'

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
