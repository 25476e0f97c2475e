import { join } from 'node:path'
import { expect, test } from 'vitest'
import { flyFile, renderFile } from '../../packages/cli/src/setup/deploy-files.ts'
import { renderSetup } from './render-setup.ts'

test('docs/setup.md says what the tables of the set-up say', async () => {
  await expect(renderSetup()).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/setup.md'))
})

const deployment = join(import.meta.dirname, '../../deploy/tool-server')
const generated = (text: string) => `# Generated from deploy-files.ts by \`npm run docs\`.\n${text}`

test('deploy/tool-server/fly.toml is what the set-up writes', async () => {
  await expect(generated(flyFile({ clone: '../..' }))).toMatchFileSnapshot(join(deployment, 'fly.toml'))
})

test('deploy/tool-server/render.yaml is what the set-up writes, of a server that only reads', async () => {
  await expect(generated(renderFile({ wallet: false }))).toMatchFileSnapshot(join(deployment, 'render.yaml'))
})
