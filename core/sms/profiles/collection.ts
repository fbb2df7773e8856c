import { nearest } from '../../nearest.ts'
import type { Found, Listed, Profiles } from '../../ports/messaging/profiles.ts'
import { BUILT_IN } from './all.ts'
import { checkProfile, type ProfileFault } from './check.ts'

/** A profile file of the operator; `text` is null if it cannot be read. */
export interface ProfileFile {
  readonly file: string
  readonly text: string | null
}

const builtIn = new Map(BUILT_IN.map(profile => [profile.name, profile]))

/** Returns the built-in profiles and those in the files, which are read on demand. */
export function profilesWith(files: () => readonly ProfileFile[]): Profiles {
  let own: readonly Listed[] | null = null
  const read = (): readonly Listed[] => {
    own ??= listed(files())
    return own
  }
  return {
    named: name => {
      const profile = builtIn.get(name)
      if (profile) return { profile }
      const found = read().filter(each => each.name === name)
      return (
        found.find(each => 'profile' in each) ??
        found[0] ?? {
          problem: `There is no profile ${name}${meantBy(name, read())}; see trunkline gateway profile list.`,
        }
      )
    },
    all: () => [...BUILT_IN.map(profile => ({ name: profile.name, file: null, profile })), ...read()],
  }
}

function meantBy(name: string, own: readonly Listed[]): string {
  const meant = nearest(name, [...builtIn.keys(), ...own.map(each => each.name)])
  return meant === null ? '' : ` (did you mean ${meant}?)`
}

function listed(files: readonly ProfileFile[]): readonly Listed[] {
  const taken = new Set(builtIn.keys())
  return files.map(({ file, text }) => {
    const found: Found = text === null ? { problem: `${file} cannot be read.` } : readProfile(file, text)
    if ('problem' in found) return { ...found, name: nameOf(file), file }
    const { name } = found.profile
    if (taken.has(name))
      return { problem: `${file}: there is a profile ${name} already; choose another name.`, name, file }
    taken.add(name)
    return { ...found, name, file }
  })
}

/** The profile name of a file: `acme` for `acme.json`. */
const nameOf = (file: string): string => file.replace(/^.*[/\\]/, '').replace(/\.json$/, '')

export const faultLine = ({ path, problem }: ProfileFault): string => (path === '' ? problem : `${path}: ${problem}`)

function readProfile(file: string, text: string): Found {
  const checked = checkText(text)
  if ('profile' in checked) return checked
  const [first, ...others] = checked.faults.map(faultLine)
  const more = others.length > 0 ? ` (and ${others.length} more; see trunkline gateway profile check ${file})` : ''
  return { problem: `The profile in ${file} is wrong: ${first ?? ''}${more}.` }
}

/** Parses a profile from JSON. */
export function checkText(text: string): ReturnType<typeof checkProfile> {
  try {
    return checkProfile(JSON.parse(text))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { faults: [{ path: '', problem: `it is not valid JSON (${error.message})` }] }
  }
}
