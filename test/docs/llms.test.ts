import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue } from '@svc/tool-server'
import { expect, test } from 'vitest'
import { renderLlms } from './render-llms.ts'

const root = join(import.meta.dirname, '../..')

test('llms.txt lists every guide, every tool and every package', async () => {
  const of = (folder: string) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)
  const guides = [...of('docs'), ...of('docs/api')].filter((path) => path.endsWith('.md'))
  const packages = readdirSync(join(root, 'packages')).map((name) => {
    const { name: title, description } = JSON.parse(
      readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'),
    ) as {
      name: string
      description: string
    }
    return { folder: `packages/${name}`, name: title, description }
  })
  const pages = [...guides, 'README.md', 'CONTRIBUTING.md', 'SECURITY.md']
  await expect(renderLlms(catalogue, pages, packages)).toMatchFileSnapshot(join(root, 'llms.txt'))
})
