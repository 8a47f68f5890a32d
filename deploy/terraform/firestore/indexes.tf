# Made by go test ./internal/store/firestore -run TestIndexFiles -update. The indexes of a memory in Firestore.

variable "project" {
  type = string
}

variable "database" {
  type    = string
  default = "(default)"
}

# the change log
resource "google_firestore_index" "trilith_1" {
  project     = var.project
  database    = var.database
  collection  = "trilith_memories"
  query_scope = "COLLECTION_GROUP"
  fields {
    field_path = "shard"
    order      = "ASCENDING"
  }
  fields {
    field_path = "change"
    order      = "ASCENDING"
  }
}

# listings, oldest first
resource "google_firestore_index" "trilith_2" {
  project     = var.project
  database    = var.database
  collection  = "trilith_memories"
  query_scope = "COLLECTION"
  fields {
    field_path   = "keys"
    array_config = "CONTAINS"
  }
  fields {
    field_path = "recorded"
    order      = "ASCENDING"
  }
}

# listings, newest first
resource "google_firestore_index" "trilith_3" {
  project     = var.project
  database    = var.database
  collection  = "trilith_memories"
  query_scope = "COLLECTION"
  fields {
    field_path   = "keys"
    array_config = "CONTAINS"
  }
  fields {
    field_path = "recorded"
    order      = "DESCENDING"
  }
}

# listings by when it was said
resource "google_firestore_index" "trilith_4" {
  project     = var.project
  database    = var.database
  collection  = "trilith_memories"
  query_scope = "COLLECTION"
  fields {
    field_path   = "keys"
    array_config = "CONTAINS"
  }
  fields {
    field_path = "event"
    order      = "DESCENDING"
  }
}

# conversations in their order
resource "google_firestore_index" "trilith_5" {
  project     = var.project
  database    = var.database
  collection  = "trilith_memories"
  query_scope = "COLLECTION"
  fields {
    field_path   = "keys"
    array_config = "CONTAINS"
  }
  fields {
    field_path = "seq"
    order      = "ASCENDING"
  }
}

# jobs that are due
resource "google_firestore_index" "trilith_6" {
  project     = var.project
  database    = var.database
  collection  = "trilith_jobs"
  query_scope = "COLLECTION_GROUP"
  fields {
    field_path = "queue"
    order      = "ASCENDING"
  }
  fields {
    field_path = "due"
    order      = "ASCENDING"
  }
}

# jobs of some kinds that are due
resource "google_firestore_index" "trilith_7" {
  project     = var.project
  database    = var.database
  collection  = "trilith_jobs"
  query_scope = "COLLECTION_GROUP"
  fields {
    field_path = "queue"
    order      = "ASCENDING"
  }
  fields {
    field_path = "kind"
    order      = "ASCENDING"
  }
  fields {
    field_path = "due"
    order      = "ASCENDING"
  }
}

# the oldest of kept embeddings
resource "google_firestore_index" "trilith_8" {
  project     = var.project
  database    = var.database
  collection  = "trilith_embeddings"
  query_scope = "COLLECTION_GROUP"
  fields {
    field_path = "place"
    order      = "ASCENDING"
  }
  fields {
    field_path = "at"
    order      = "ASCENDING"
  }
}

# listings of jobs
resource "google_firestore_index" "trilith_9" {
  project     = var.project
  database    = var.database
  collection  = "trilith_jobs"
  query_scope = "COLLECTION"
  fields {
    field_path = "state"
    order      = "ASCENDING"
  }
  fields {
    field_path = "id"
    order      = "DESCENDING"
  }
}

# the nearest vectors
resource "google_firestore_index" "trilith_10" {
  project     = var.project
  database    = var.database
  collection  = "trilith_vectors"
  query_scope = "COLLECTION"
  fields {
    field_path   = "keys"
    array_config = "CONTAINS"
  }
  fields {
    field_path = "__name__"
    order      = "ASCENDING"
  }
  fields {
    field_path = "v"
    vector_config {
      dimension = 256
      flat {}
    }
  }
}

# the nearest vectors
resource "google_firestore_index" "trilith_11" {
  project     = var.project
  database    = var.database
  collection  = "trilith_vectors"
  query_scope = "COLLECTION"
  fields {
    field_path   = "keys"
    array_config = "CONTAINS"
  }
  fields {
    field_path = "__name__"
    order      = "ASCENDING"
  }
  fields {
    field_path = "v"
    vector_config {
      dimension = 384
      flat {}
    }
  }
}

# the nearest vectors
resource "google_firestore_index" "trilith_12" {
  project     = var.project
  database    = var.database
  collection  = "trilith_vectors"
  query_scope = "COLLECTION"
  fields {
    field_path   = "keys"
    array_config = "CONTAINS"
  }
  fields {
    field_path = "__name__"
    order      = "ASCENDING"
  }
  fields {
    field_path = "v"
    vector_config {
      dimension = 768
      flat {}
    }
  }
}

# the nearest vectors
resource "google_firestore_index" "trilith_13" {
  project     = var.project
  database    = var.database
  collection  = "trilith_vectors"
  query_scope = "COLLECTION"
  fields {
    field_path   = "keys"
    array_config = "CONTAINS"
  }
  fields {
    field_path = "__name__"
    order      = "ASCENDING"
  }
  fields {
    field_path = "v"
    vector_config {
      dimension = 1024
      flat {}
    }
  }
}

# the nearest vectors
resource "google_firestore_index" "trilith_14" {
  project     = var.project
  database    = var.database
  collection  = "trilith_vectors"
  query_scope = "COLLECTION"
  fields {
    field_path   = "keys"
    array_config = "CONTAINS"
  }
  fields {
    field_path = "__name__"
    order      = "ASCENDING"
  }
  fields {
    field_path = "v"
    vector_config {
      dimension = 1536
      flat {}
    }
  }
}

# how many embeddings are kept
resource "google_firestore_field" "trilith_embeddings_place" {
  project    = var.project
  database   = var.database
  collection = "trilith_embeddings"
  field      = "place"
  index_config {
    indexes {
      order       = "ASCENDING"
      query_scope = "COLLECTION_GROUP"
    }
    indexes {
      order       = "ASCENDING"
      query_scope = "COLLECTION"
    }
  }
}

# all vectors, to remove them
resource "google_firestore_field" "trilith_vectors_place" {
  project    = var.project
  database   = var.database
  collection = "trilith_vectors"
  field      = "place"
  index_config {
    indexes {
      order       = "ASCENDING"
      query_scope = "COLLECTION_GROUP"
    }
    indexes {
      order       = "ASCENDING"
      query_scope = "COLLECTION"
    }
  }
}

# a generation that is dropped
resource "google_firestore_field" "trilith_vectors_gen" {
  project    = var.project
  database   = var.database
  collection = "trilith_vectors"
  field      = "gen"
  index_config {
    indexes {
      order       = "ASCENDING"
      query_scope = "COLLECTION_GROUP"
    }
    indexes {
      order       = "ASCENDING"
      query_scope = "COLLECTION"
    }
  }
}

# bytes
resource "google_firestore_field" "trilith_vectors_body" {
  project    = var.project
  database   = var.database
  collection = "trilith_vectors"
  field      = "body"
  index_config {
  }
}

# bytes
resource "google_firestore_field" "trilith_memories_body" {
  project    = var.project
  database   = var.database
  collection = "trilith_memories"
  field      = "body"
  index_config {
  }
}

# bytes
resource "google_firestore_field" "trilith_jobs_body" {
  project    = var.project
  database   = var.database
  collection = "trilith_jobs"
  field      = "body"
  index_config {
  }
}

# bytes
resource "google_firestore_field" "trilith_embeddings_v" {
  project    = var.project
  database   = var.database
  collection = "trilith_embeddings"
  field      = "v"
  index_config {
  }
}

# bytes
resource "google_firestore_field" "records_body" {
  project    = var.project
  database   = var.database
  collection = "records"
  field      = "body"
  index_config {
  }
}

# bytes
resource "google_firestore_field" "audit_body" {
  project    = var.project
  database   = var.database
  collection = "audit"
  field      = "body"
  index_config {
  }
}

# bytes
resource "google_firestore_field" "chunks_body" {
  project    = var.project
  database   = var.database
  collection = "chunks"
  field      = "body"
  index_config {
  }
}

# bytes
resource "google_firestore_field" "rows_body" {
  project    = var.project
  database   = var.database
  collection = "rows"
  field      = "body"
  index_config {
  }
}

# bytes
resource "google_firestore_field" "claims_body" {
  project    = var.project
  database   = var.database
  collection = "claims"
  field      = "body"
  index_config {
  }
}

# rises with every write
resource "google_firestore_field" "trilith_memories_change" {
  project    = var.project
  database   = var.database
  collection = "trilith_memories"
  field      = "change"
  index_config {
  }
}

# rises with every write
resource "google_firestore_field" "trilith_memories_recorded" {
  project    = var.project
  database   = var.database
  collection = "trilith_memories"
  field      = "recorded"
  index_config {
  }
}

# rises with every write
resource "google_firestore_field" "trilith_memories_event" {
  project    = var.project
  database   = var.database
  collection = "trilith_memories"
  field      = "event"
  index_config {
  }
}

# found by keys alone
resource "google_firestore_field" "trilith_memories_seq" {
  project    = var.project
  database   = var.database
  collection = "trilith_memories"
  field      = "seq"
  index_config {
  }
}

# rises with every write
resource "google_firestore_field" "trilith_jobs_due" {
  project    = var.project
  database   = var.database
  collection = "trilith_jobs"
  field      = "due"
  index_config {
  }
}
