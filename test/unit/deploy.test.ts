/** The files in deploy/ fit the program: its settings, ports, paths and time limits. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { databaseSettings, serveSettings } from '../../src/runtime/settings.js'

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const read = (name: string) => readFileSync(path(name), 'utf8')
const variables = [
  ...[...Object.values(serveSettings), ...Object.values(databaseSettings)].map(({ env }) => env),
  'MILLBOOK_BACKUP_PASSPHRASE',
]
const { files } = JSON.parse(read('package.json')) as { files: string[] }

it.each(['Containerfile', 'compose.yaml', 'kubernetes.yaml', 'millbook.service'])(
  '%s sets only variables that exist',
  (name) => {
    const used = [...read(`deploy/${name}`).matchAll(/\bMILLBOOK_[A-Z_]+/g)].map(([variable]) => variable)
    expect(used.filter((variable) => !variables.includes(variable))).toEqual([])
  },
)

it('the image has every file of the package, and copies only files that exist and are not ignored', () => {
  const steps = read('deploy/Containerfile').replaceAll('\\\n', ' ').split('\n')
  const copied = steps.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? [])
  for (const source of copied) expect([source, existsSync(path(source))]).toEqual([source, true])
  const allowed = read('.containerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1))
  expect(copied.filter((source) => !allowed.includes(source))).toEqual([])
  const shipped = steps.flatMap((line) => /^COPY --from=build \/src\/(\S+)/.exec(line)?.[1] ?? [])
  for (const file of files.filter((file) => !file.startsWith('!')))
    expect(
      shipped.some((source) => file.startsWith(source)),
      file,
    ).toBe(true)
  expect(steps).toContain('USER node')
  expect(steps.some((line) => line.startsWith('HEALTHCHECK'))).toBe(true)
  const exposed = steps.find((line) => line.startsWith('EXPOSE'))
  expect(exposed).toBe(`EXPOSE ${serveSettings.port.default} ${serveSettings.metricsPort.default}`)
})

it('supervisors wait longer than the service takes to shut down', () => {
  const grace = serveSettings.graceSeconds.default
  const unit = Number(/^TimeoutStopSec=(\d+)$/m.exec(read('deploy/millbook.service'))?.[1])
  expect(unit).toBeGreaterThan(grace + 3)
  const compose = parse(read('deploy/compose.yaml'), { merge: true })
  expect(Number.parseInt(compose.services.millbook.stop_grace_period, 10)).toBeGreaterThan(grace + 3)
  const [deployment] = parseAllDocuments(read('deploy/kubernetes.yaml')).map((document) => document.toJS())
  const { spec } = deployment.spec.template
  const { preStop } = spec.containers[0].lifecycle
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(grace + 3 + preStop.sleep.seconds)
})

it('containers run without privileges, on a read-only root file system', () => {
  const { services } = parse(read('deploy/compose.yaml'), { merge: true })
  for (const name of ['migrate', 'millbook'])
    expect(services[name]).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      tmpfs: [expect.stringMatching(/^\/tmp/)],
    })
  const pods = parseAllDocuments(read('deploy/kubernetes.yaml'))
    .map((document) => document.toJS())
    .flatMap(({ kind, spec }) =>
      kind === 'Deployment' ? [spec.template.spec] : kind === 'CronJob' ? [spec.jobTemplate.spec.template.spec] : [],
    )
  expect(pods).toHaveLength(2)
  for (const pod of pods) {
    expect(pod.securityContext.runAsNonRoot).toBe(true)
    for (const container of [...(pod.initContainers ?? []), ...pod.containers])
      expect(container.securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        capabilities: { drop: ['ALL'] },
      })
  }
})

it('nginx replaces headers that a caller could forge, and limits bodies like the service', () => {
  const nginx = read('deploy/nginx.conf')
  for (const [header, value] of [
    ['Host', '$host'],
    ['Proto', '$scheme'],
    ['For', '$remote_addr'],
  ])
    expect(nginx).toMatch(new RegExp(`^ *proxy_set_header X-Forwarded-${header} +\\${value};$`, 'm'))
  expect(nginx).toMatch(/^ *client_max_body_size 64k;$/m)
})

it('the systemd unit lets V8 generate code, and denies everything that the service does not need', () => {
  const unit = read('deploy/millbook.service')
  expect(unit).not.toMatch(/^MemoryDenyWriteExecute=(yes|true|on|1)/m)
  expect(unit).toMatch(/^SystemCallFilter=@system-service .*@pkey$/m)
  for (const line of ['NoNewPrivileges=yes', 'CapabilityBoundingSet=', 'ProtectSystem=strict', 'PrivateUsers=yes'])
    expect(unit.split('\n')).toContain(line)
})

it('every alert rule has a query, a severity, a summary and a description', () => {
  const { groups } = parse(read('deploy/prometheus/alerts.yml'))
  for (const { alert, expr, labels, annotations } of groups[0].rules) {
    expect(alert).toMatch(/^Millbook/)
    for (const text of [expr, labels.severity, annotations.summary, annotations.description])
      expect([alert, typeof text]).toEqual([alert, 'string'])
  }
})
