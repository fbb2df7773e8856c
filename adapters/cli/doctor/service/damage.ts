import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isServerAddress } from '../../../../core/database-address.ts'
import type { Damage } from '../../../../core/ports/system.ts'
import { resourceNamed, resources } from '../../../../core/resources/all.ts'
import { quoted } from '../../command-line.ts'
import { flagOf } from '../../fields.ts'
import { RESOURCE_COMMANDS, verbsOf } from '../../naming/resource-names.ts'
import type { Check, Finding, Patient } from '../check.ts'

/** Checks whether the database is intact. */
export const damage: Check = {
  about: 'every page, key and reference of the database',
  async *examine(patient) {
    const { maintenance } = await patient.open()
    for (const found of await maintenance.check()) yield findingOf(patient, found)
  },
}

function findingOf(patient: Patient, { finding, dangling, index }: Damage): Finding {
  if (index !== undefined) return { kind: 'damage', finding, fix: onServer(patient, `REINDEX INDEX ${index}`) }
  const fix = dangling && without(dangling)
  return fix ? { kind: 'dangling', finding, fix } : { kind: 'damage', finding, fix: restoring(patient) }
}

/** Returns the command that clears the reference if the record has a meaning without it, else deletes the record. */
function without({ table, id, parent }: NonNullable<Damage['dangling']>): string | null {
  const command = RESOURCE_COMMANDS.find(({ resource }) => resource === table)?.name
  if (command === undefined || !resources.some(({ name }) => name === table)) return null
  const resource = resourceNamed(table)
  const { fields } = resource
  const [name, field] = Object.entries(fields).find(([, { references }]) => references?.to === parent) ?? []
  if (name !== undefined && field && !field.required)
    return `trunkline ${command} update id:${id} --${flagOf(name, field)} ''`
  return `trunkline ${command} ${verbsOf(resource).delete} id:${id}`
}

/** Returns the command that runs a statement on the server. */
export const onServer = ({ path }: Pick<Patient, 'path'>, statement: string): string =>
  `psql ${quoted(path)} -c ${quoted(statement)}`

const BACKUP = /^trunkline-.*\.(?:db|dump)$/

/**
 * Returns the command that restores the newest of the daemon's backups, whose names sort by time; without one, a
 * search for another copy of a file, or what restores a dump kept elsewhere.
 */
function restoring({ settings, path }: Patient): string {
  const folder = String(settings['backup_dir'])
  const newest = existsSync(folder)
    ? readdirSync(folder)
        .filter(name => BACKUP.test(name))
        .sort()
        .at(-1)
    : undefined
  if (newest !== undefined) return `trunkline db restore ${quoted(join(folder, newest))}`
  return isServerAddress(path) ? 'trunkline db restore DUMP' : `ls -lt ${quoted(dirname(path))}`
}
