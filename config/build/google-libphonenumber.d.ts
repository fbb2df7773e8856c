/** The part of the library that the build and tests use; it ships without types. */
declare module 'google-libphonenumber' {
  /** A message as the library stores it: the field with tag n is at index n. */
  type Message = readonly unknown[]

  interface Metadata {
    /** Regions by calling code, the main one first; `001` for codes that belong to no region. */
    readonly countryCodeToRegionCodeMap: Readonly<Record<string, readonly string[]>>
    /** By region, or by calling code for those that belong to none. */
    readonly countryToMetadata: Readonly<Record<string, Message>>
  }
  export const metadata: Metadata
  export const shortnumbermetadata: Metadata

  export class PhoneNumber {
    getCountryCode(): number | undefined
  }
  export enum PhoneNumberFormat {
    E164,
    INTERNATIONAL,
    NATIONAL,
  }
  export class PhoneNumberUtil {
    static getInstance(): PhoneNumberUtil
    /** Throws something other than an Error if the text is not a number. */
    parse(text: string, region?: string): PhoneNumber
    format(number: PhoneNumber, format: PhoneNumberFormat): string
    formatOutOfCountryCallingNumber(number: PhoneNumber, regionCallingFrom: string): string
    getNationalSignificantNumber(number: PhoneNumber): string
    getLengthOfGeographicalAreaCode(number: PhoneNumber): number
    getRegionCodeForNumber(number: PhoneNumber): string | undefined
    getSupportedRegions(): string[]
    isValidNumber(number: PhoneNumber): boolean
    isValidNumberForRegion(number: PhoneNumber, region: string): boolean
  }
  export class ShortNumberInfo {
    static getInstance(): ShortNumberInfo
    isEmergencyNumber(number: string, region: string): boolean
    getSupportedRegions(): string[]
  }
}
