//! What is legal in atomic chess and who has won.
