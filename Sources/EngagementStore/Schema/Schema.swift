/// The schema of the cache: its steps in their order, each frozen once it was released.
enum Schema {
  static let migrations = Migrations([
    Migration(
      name: "beginning", sql: rows + items,
      digest: "35390ea9872fbc9f4738060ceee05d97261da33575a96912c159f4a0af82974f",
      shape: 0xf59c_feb7_a614_626f)
  ])
}
