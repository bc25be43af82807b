// This file imports every platform-specific module. No other file of a module that an application
// embeds imports Foundation or a C library by name.

// Apple's platforms have no FoundationEssentials; elsewhere full Foundation makes programs start
// slower.
#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif

#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#elseif canImport(Bionic)
  @_exported public import Bionic
#elseif canImport(Darwin)
  @_exported public import Darwin
#endif
